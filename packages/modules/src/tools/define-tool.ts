import {
  AmplifierError,
  errorInfo,
  type JsonObject,
  type Tool,
  type ToolContext,
  type ToolResult,
  toolFailure,
  toolSuccess,
} from '@amplifier/core';
import { z } from 'zod';
import type { ToolError, ToolErrorCode } from './tool-error.js';

export interface ToolDefinition<Input extends z.ZodObject> {
  name: string;
  description: string;
  /** Best made once for all sessions: it is large, and so is what is made of it for models. */
  input: Input;
  /** Returns what the model gets to read. Throws `ToolError` for whatever cannot be done. */
  run(input: z.output<Input>, context: ToolContext): Promise<unknown>;
}

/**
 * A tool from a schema and a function: the schema is the model's documentation and the guard of the function. Members that it does
 * not name are refused; use `z.strictObject` for objects inside of it.
 */
export function defineTool<Input extends z.ZodObject>(definition: ToolDefinition<Input>): Tool {
  return new DefinedTool(definition);
}

/**
 * A class with methods: getters of an object literal, and closures that are assigned to members, outlive it. The engine keeps them,
 * and what they refer to, until all memory is searched.
 */
class DefinedTool<Input extends z.ZodObject> implements Tool {
  readonly name: string;
  readonly description: string;
  readonly #schema: Input;
  readonly #run: ToolDefinition<Input>['run'];

  constructor({ name, description, input, run }: ToolDefinition<Input>) {
    this.name = name;
    this.description = description;
    this.#schema = strictOf(input);
    this.#run = run;
  }

  async execute(input: JsonObject, context: ToolContext): Promise<ToolResult> {
    const parsed = this.#schema.safeParse(input);
    if (!parsed.success) return invalidInput(this.name, parsed.error);
    try {
      return toolSuccess(await this.#run(parsed.data, context));
    } catch (error) {
      return failureOf(error);
    }
  }

  /** Made when a model is first to read it. */
  get inputSchema(): JsonObject {
    return jsonSchemaOf(this.#schema);
  }
}

const strictSchemas = new WeakMap<z.ZodObject, z.ZodObject>();

/** Made once for each schema: sessions share it. */
function strictOf<Input extends z.ZodObject>(schema: Input): Input {
  const made = strictSchemas.get(schema) ?? schema.strict();
  strictSchemas.set(schema, made);
  return made as Input;
}

const jsonSchemas = new WeakMap<z.ZodObject, JsonObject>();

function jsonSchemaOf(schema: z.ZodObject): JsonObject {
  const known = jsonSchemas.get(schema);
  if (known) return known;
  const { $schema: _, ...made } = z.toJSONSchema(schema, { io: 'input' });
  jsonSchemas.set(schema, made);
  return made;
}

function invalidInput(tool: string, error: z.ZodError): ToolResult {
  const code: ToolErrorCode = 'INVALID_INPUT';
  return toolFailure(`The input of ${tool} cannot be used:\n${z.prettifyError(error)}`, { code });
}

/** Anything thrown as the failed result a model gets to read. */
export function failureOf(error: unknown): ToolResult {
  if (AmplifierError.is(error)) {
    const { message, code, retryable } = error;
    const { output = message } = error as Partial<ToolError>;
    return { ...toolFailure(message, { code, retryable }), output };
  }
  const system = describeSystemError(error);
  return system
    ? toolFailure(system, { code: 'IO_FAILED' satisfies ToolErrorCode })
    : toolFailure(errorInfo(error).message);
}

/** Errors of the operating system in terms of the file that was asked for. */
const MEANING: Record<string, string> = {
  ENOENT: 'does not exist',
  EACCES: 'may not be accessed by this user',
  EPERM: 'may not be changed by this user',
  EROFS: 'is on a read-only file system',
  ENOSPC: 'cannot be written: the disk is full',
  EDQUOT: 'cannot be written: the disk quota is used up',
  EISDIR: 'is a folder',
  ENOTDIR: 'has a file where a folder is needed',
  ELOOP: 'is a symbolic link that leads in a circle or may not be followed',
  ENAMETOOLONG: 'is longer than a path may be',
  EMFILE: 'cannot be opened: too many files are open',
  EBUSY: 'is in use',
};

/** A sentence for an error of the operating system; null for any other error. */
function describeSystemError(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const { code, path, syscall } = error as NodeJS.ErrnoException;
  if (typeof code !== 'string' || syscall === undefined) return null;
  const meaning = MEANING[code];
  return meaning && path ? `'${path}' ${meaning}.` : `${syscall} failed on '${path ?? 'a file'}': ${code}.`;
}
