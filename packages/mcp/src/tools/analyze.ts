import { z } from 'zod';
import type { JobState } from '../jobs/job-order.js';
import { defineTool, LOOKS } from './tool.js';

const Pair = z.object({
  a: z.string(),
  b: z.string(),
  questions: z.number().int().describe('Questions on which both gave a verdict.'),
  agreements: z.number().int(),
  agreement_rate: z.number(),
});

const AgentRecord = z.object({
  agent: z.string(),
  jobs: z.number().int(),
  succeeded: z.number().int(),
  median_duration_s: z.number().nullable(),
  total_tokens: z.number(),
  usd: z.number().nullable().describe('The cost of the jobs whose cost is known.'),
  errors: z.record(z.string(), z.number().int()).describe('How often it failed with which code.'),
});

export const analyze = defineTool({
  name: 'analyze',
  title: 'Analyze past jobs',
  description:
    'Report on stored jobs. historical_agreement: how often two agents gave the same verdict on the same question (the last line "VERDICT: …" of their answers). agents: time, cost and failures of each agent. Sends no prompts.',
  input: z.strictObject({
    report: z
      .enum(['historical_agreement', 'agents'])
      .nullish()
      .default('historical_agreement')
      .describe('Which report. Default: historical_agreement.'),
  }),
  output: z.object({
    report: z.enum(['historical_agreement', 'agents']),
    jobs_scanned: z.number().int(),
    pairs: z.array(Pair).describe('For historical_agreement, most questions first.'),
    agents: z.array(AgentRecord).describe('For agents, most jobs first.'),
    notes: z.array(z.string()),
  }),
  annotations: LOOKS,
  async run({ report }, { service, owner }) {
    const { jobs, problems } = await service.jobs.list(owner);
    const ended = jobs.filter(({ result }) => result !== null);
    const wanted = report ?? 'historical_agreement';
    const pairs = wanted === 'historical_agreement' ? agreement(ended) : [];
    const few = wanted === 'historical_agreement' && pairs.length === 0;
    return {
      report: wanted,
      jobs_scanned: ended.length,
      pairs,
      agents: wanted === 'agents' ? records(ended) : [],
      notes: [...(few ? [NO_PAIRS] : []), ...problems],
    };
  },
  text: ({ jobs_scanned, pairs, agents, notes }) =>
    [
      `${jobs_scanned} jobs`,
      ...pairs.map(
        ({ a, b, questions, agreements }) => `${a} and ${b}: ${agreements} of ${questions} the same`,
      ),
      ...agents.map(
        ({ agent, jobs, succeeded, median_duration_s }) =>
          `${agent}: ${succeeded} of ${jobs} succeeded, median ${median_duration_s ?? '?'} s`,
      ),
      ...notes,
    ].join('\n'),
});

const NO_PAIRS =
  'No question was put to two agents that both gave a verdict. Ask several agents the same question with persist true, and have them end with a line "VERDICT: yes" or the like.';

/** The last line of the form `VERDICT: word`, in lower case. A longer line is none. */
function verdictOf({ result }: JobState): string | null {
  if (!result?.ok) return null;
  const lines = result.text.split('\n').filter(({ length }) => length <= MAX_VERDICT_LINE);
  const found = lines.flatMap((line) => /^\W*VERDICT\s*:\s*(.+?)\W*$/i.exec(line)?.[1] ?? []);
  return found.at(-1)?.toLowerCase() ?? null;
}

/** A pattern is run over it that a longer text could hold up. */
const MAX_VERDICT_LINE = 200;

function agreement(jobs: readonly JobState[]): z.infer<typeof Pair>[] {
  const questions = new Map<string, Map<string, string>>();
  for (const job of jobs) {
    const verdict = verdictOf(job);
    if (verdict === null) continue;
    const key = JSON.stringify([job.request.prompt, job.request.working_dir]);
    const answers = questions.get(key) ?? new Map<string, string>();
    // The newest answer of each counts; jobs come newest first.
    if (!answers.has(label(job))) answers.set(label(job), verdict);
    questions.set(key, answers);
  }
  const pairs = new Map<string, z.infer<typeof Pair>>();
  for (const answers of questions.values()) {
    const names = [...answers.keys()].sort();
    for (const [at, a] of names.entries())
      for (const b of names.slice(at + 1)) {
        const key = JSON.stringify([a, b]);
        const pair = pairs.get(key) ?? { a, b, questions: 0, agreements: 0, agreement_rate: 0 };
        pair.questions += 1;
        pair.agreements += Number(answers.get(a) === answers.get(b));
        pair.agreement_rate = pair.agreements / pair.questions;
        pairs.set(key, pair);
      }
  }
  return [...pairs.values()].sort((x, y) => y.questions - x.questions);
}

function records(jobs: readonly JobState[]): z.infer<typeof AgentRecord>[] {
  const byAgent = new Map<string, JobState[]>();
  for (const job of jobs) byAgent.set(label(job), [...(byAgent.get(label(job)) ?? []), job]);
  return [...byAgent].map(([agent, own]) => recordOf(agent, own)).sort((x, y) => y.jobs - x.jobs);
}

function recordOf(agent: string, jobs: readonly JobState[]): z.infer<typeof AgentRecord> {
  const results = jobs.flatMap(({ result }) => result ?? []);
  const durations = results.map(({ duration_s }) => duration_s).sort((x, y) => x - y);
  const known = results.flatMap(({ cost: { usd } }) => (usd === null ? [] : [Number(usd)]));
  const errors: Record<string, number> = {};
  for (const { error } of results) if (error) errors[error.code] = (errors[error.code] ?? 0) + 1;
  return {
    agent,
    jobs: jobs.length,
    succeeded: results.filter(({ ok }) => ok).length,
    median_duration_s: durations[Math.floor(durations.length / 2)] ?? null,
    total_tokens: results.reduce((sum, { cost }) => sum + cost.total_tokens, 0),
    usd: known.length > 0 ? known.reduce((sum, each) => sum + each, 0) : null,
    errors,
  };
}

function label({ target }: JobState): string {
  return target.model === null ? target.cli : `${target.cli}:${target.model}`;
}
