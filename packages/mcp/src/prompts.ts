import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

interface PromptDefinition {
  name: string;
  title: string;
  description: string;
  /** What the person may fill in. All of it is optional but for what has no sense without. */
  args: z.ZodObject;
  /** What the model is told. */
  text: (args: Record<string, string | undefined>) => string;
}

const optional = (what: string) => z.string().optional().describe(what);

/** What a person can pick in a client that shows prompts: each leads to the tool of the same name. */
const PROMPTS: readonly PromptDefinition[] = [
  {
    name: 'review',
    title: 'Review a change',
    description: 'Have other agents review the change at hand.',
    args: z.object({
      targets: optional('Agents, with commas. Default: two that are installed.'),
      focus: optional('What to look at above all.'),
      paths: optional('Files, with commas. Default: the change that is not committed yet.'),
    }),
    text: ({ targets, focus, paths }) =>
      [
        paths
          ? `Review ${paths} with the tool review (paths).`
          : 'Take the change that is not committed yet as a unified diff and review it with the tool review (diff).',
        targets
          ? `Reviewers: ${targets}.`
          : 'Choose two reviewers of different providers from capabilities, of those that are installed.',
        focus ? `Look above all at: ${focus}.` : '',
        'Then tell me the findings, gravest first, and which of them you share. Change nothing before I say so.',
      ].join(' '),
  },
  {
    name: 'plan',
    title: 'Plan a change',
    description: 'Have another agent write a plan for a goal.',
    args: z.object({ goal: z.string().describe('What is to be reached.'), cli: optional('Who plans.') }),
    text: ({ goal, cli }) =>
      `Have the tool plan write a plan${cli ? ` with cli ${cli}` : ', with an agent that is installed'}, for this goal: ${goal}\nGive it all of this conversation that matters. Then tell me the plan, and what you would do otherwise.`,
  },
  {
    name: 'analyze',
    title: 'Analyze past jobs',
    description: 'How agents have done, and how often they agreed.',
    args: z.object({ report: optional('historical_agreement or agents.') }),
    text: ({ report }) =>
      `Call the tool analyze with report ${report ?? 'agents'} and tell me what stands out, with numbers.`,
  },
  {
    name: 'discover',
    title: 'Discover agents and local models',
    description: 'What there is on this machine to delegate to.',
    args: z.object({}),
    text: () =>
      'Call the tool discover and tell me which agents and local models there are, which can be used now and what the others want. Ask me before you call it again with write.',
  },
  {
    name: 'setup',
    title: 'Set up',
    description: 'Set Amplifier up for this machine.',
    args: z.object({}),
    text: () =>
      'Call the tool setup and tell me what it found and what it would write. Call it again with write, or with install_adapters, only after I said so. Then call doctor and tell me what is still missing.',
  },
];

export function registerPrompts(server: McpServer): void {
  for (const { name, title, description, args, text } of PROMPTS)
    server.registerPrompt(name, { title, description, argsSchema: args }, (given) => ({
      messages: [
        {
          role: 'user',
          content: { type: 'text', text: text((given ?? {}) as Record<string, string | undefined>) },
        },
      ],
    }));
}
