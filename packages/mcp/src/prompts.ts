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
    description: 'Have other agents review the current change.',
    args: z.object({
      targets: optional('Agents, comma-separated. Default: two installed ones.'),
      focus: optional('What to focus on.'),
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
    args: z.object({ goal: z.string().describe('The goal.'), cli: optional('The agent that plans.') }),
    text: ({ goal, cli }) =>
      `Have the tool plan write a plan${cli ? ` with cli ${cli}` : ', with an agent that is installed'}, for this goal: ${goal}\nInclude everything relevant from this conversation. Then show me the plan, and what you would do differently.`,
  },
  {
    name: 'analyze',
    title: 'Analyze past jobs',
    description: 'How agents performed, and how often they agreed.',
    args: z.object({ report: optional('historical_agreement or agents.') }),
    text: ({ report }) =>
      `Call the tool analyze with report ${report ?? 'agents'} and tell me what stands out, with numbers.`,
  },
  {
    name: 'discover',
    title: 'Discover agents and local models',
    description: 'Find agents and local models on this machine.',
    args: z.object({}),
    text: () =>
      'Call the tool discover and list the agents and local models, which are usable now and what the others need. Ask me before you call it again with write.',
  },
  {
    name: 'setup',
    title: 'Set up',
    description: 'Set Amplifier up for this machine.',
    args: z.object({}),
    text: () =>
      'Call the tool setup and tell me what it found and what it would write. Call it again with write, or with install_adapters, only after I agreed. Then call doctor and tell me what is still missing.',
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
