import { FAILSAFE_SCHEMA, type Schema, Type } from 'js-yaml';

/** Plain words and what they stand for, by YAML 1.1 as PyYAML reads it: `yes` is true, `010` is 8, `1:30` is 90, `1e3` is text. */
const BOOLEAN = /^(?:yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)$/;
const TRUE = /^(?:yes|true|on)$/i;
const NULL = /^(?:~|null|Null|NULL|)$/;
const INTEGER = /^[-+]?(?:0b[01_]+|0[0-7_]+|0|[1-9][0-9_]*|0x[0-9a-fA-F_]+|[1-9][0-9_]*(?::[0-5]?[0-9])+)$/;
const FLOAT =
  /^(?:[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|[-+]?\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;

/** Dates stay the text they are written as: plans and records are JSON. */
export const PYYAML_SCHEMA: Schema = FAILSAFE_SCHEMA.extend({
  implicit: [
    scalar('null', NULL, () => null),
    scalar('bool', BOOLEAN, (text) => TRUE.test(text)),
    scalar('int', INTEGER, readInteger),
    scalar('float', FLOAT, readFloat),
    scalar('merge', /^<<$/, (text) => text),
  ],
});

function scalar(name: string, pattern: RegExp, read: (text: string) => unknown): Type {
  return new Type(`tag:yaml.org,2002:${name}`, {
    kind: 'scalar',
    resolve: (data: unknown) => pattern.test(String(data ?? '')),
    construct: (data: unknown) => read(String(data ?? '')),
  });
}

function readInteger(text: string): number {
  const { sign, digits } = parts(text);
  if (digits.includes(':')) return sign * fromBase60(digits);
  if (/^0[bx]/.test(digits)) return sign * Number(digits);
  return sign * Number.parseInt(digits, /^0./.test(digits) ? 8 : 10);
}

function readFloat(text: string): number {
  const { sign, digits } = parts(text.toLowerCase());
  if (digits === '.inf') return sign * Number.POSITIVE_INFINITY;
  if (digits === '.nan') return Number.NaN;
  return sign * (digits.includes(':') ? fromBase60(digits) : Number.parseFloat(digits));
}

function parts(text: string): { sign: number; digits: string } {
  return { sign: text.startsWith('-') ? -1 : 1, digits: text.replace(/^[-+]/, '').replaceAll('_', '') };
}

function fromBase60(digits: string): number {
  return digits.split(':').reduce((total, part) => total * 60 + Number(part), 0);
}
