import { errorInfo, tryProvider } from '@amplifier/host';
import type { Cli } from '../../cli.js';
import { openProviders, pick } from '../../open/open-providers.js';
import { text } from '../../options/session-options.js';
import type { Options } from '../../program/bind.js';
import { table } from '../../terminal/fit.js';

export async function providerList(cli: Cli): Promise<number> {
  const { readings } = await openProviders(cli);
  const rows = readings.map(({ name, spec, provider, problem }) => ({
    name,
    module: spec.module,
    usable: provider !== null,
    default_model: provider?.defaultModel ?? null,
    problem,
  }));
  if (cli.json) {
    cli.printJson({ providers: rows });
    return 0;
  }
  const lines = rows.map((row) => [
    row.usable ? '✓' : '✗',
    row.name,
    row.default_model ?? '-',
    row.problem ?? '',
  ]);
  for (const line of table(lines, cli.width)) cli.print(line);
  if (!rows.some(({ usable }) => usable))
    cli.say("No provider is set up yet. Run 'amplifier init', or 'amplifier provider add --help'.");
  return 0;
}

/** One short call to each. */
export async function providerTest(cli: Cli, name: string | undefined, options: Options): Promise<number> {
  const { readings } = await openProviders(cli);
  const results = await Promise.all(
    pick(readings, name).map((reading) => tryProvider(reading, text(options.model))),
  );
  if (cli.json) cli.printJson({ providers: results });
  else
    for (const { name: each, ok, detail } of results)
      cli.print(`${ok ? cli.color.green('✓') : cli.color.red('✗')} ${each}  ${detail}`);
  const tested = name === undefined ? results.filter(({ configured }) => configured) : results;
  return tested.length > 0 && tested.every(({ ok }) => ok) ? 0 : 1;
}

export async function providerModels(cli: Cli, name: string | undefined): Promise<number> {
  const { readings } = await openProviders(cli);
  const usable = pick(readings, name).filter(({ provider }) => provider !== null);
  const models: { provider: string; model: string; context_window: number }[] = [];
  let failed = usable.length === 0;
  for (const reading of usable) {
    try {
      const listed = (await reading.provider?.listModels()) ?? [];
      models.push(
        ...listed.map(({ id, context_window }) => ({ provider: reading.name, model: id, context_window })),
      );
    } catch (error) {
      failed = true;
      cli.say(`${reading.name}: ${errorInfo(error).message}`);
    }
  }
  if (cli.json) cli.printJson({ models });
  else
    for (const line of table(
      models.map((each) => [each.provider, each.model, String(each.context_window)]),
      cli.width,
    ))
      cli.print(line);
  return failed ? 1 : 0;
}
