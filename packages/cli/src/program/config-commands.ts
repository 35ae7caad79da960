import type { Command } from 'commander';
import type { Bind } from './bind.js';
import { scoped } from './scoped.js';

export function addConfigCommands(program: Command, bind: Bind): void {
  addBundleCommands(program, bind);
  addProviderCommands(program, bind);
  addRoutingCommands(program, bind);
  addSettingCommands(program, bind);
  const init = program
    .command('init')
    .description('set up: find keys, local models and coding agents, and write the settings')
    .option('-y, --yes', 'do not ask; use everything that is found')
    .option('--no-test', 'do not call the providers to test them');
  bind(init, async (cli, _, options) => (await import('../commands/settings/init.js')).init(cli, options));
  const doctor = program
    .command('doctor')
    .description(
      'check the setup and name the command that fixes each problem; connects to installed coding agents without prompting them',
    )
    .option('--agent <id>', 'check only this coding agent')
    .option('--timeout <seconds>', 'wait no longer than this for each coding agent (most get 30 s)')
    .option('--no-connect', 'do not start the coding agents');
  bind(doctor, async (cli, _, options) =>
    (await import('../commands/settings/doctor.js')).doctor(cli, options),
  );
  addReference(program, bind);
  const completion = program
    .command('completion')
    .argument('<shell>', 'bash, zsh or fish')
    .description('print a script that completes commands in your shell');
  bind(completion, async (cli, [shell]) =>
    (await import('../commands/help/completion.js')).completion(cli, shell ?? ''),
  );
  const complete = program
    .command('complete', { hidden: true })
    .argument('[words...]')
    .description('print what may come next on a command line');
  bind(complete, async (cli, args) =>
    (await import('../commands/help/completion.js')).complete(cli, args.flat() as string[], program),
  );
}

function addReference(program: Command, bind: Bind): void {
  const reference = program
    .command('reference', { hidden: true })
    .description('print the whole command line as Markdown');
  bind(reference, async (cli) => (await import('../commands/help/reference.js')).reference(cli, program));
}

function addBundleCommands(program: Command, bind: Bind): void {
  const bundle = program.command('bundle').description('manage the bundles that sessions are built from');
  bind(bundle.command('list').alias('ls').description('list the named bundles'), async (cli) =>
    (await import('../commands/settings/bundle.js')).bundleList(cli),
  );
  bind(
    bundle
      .command('show')
      .argument('[name]', 'default: the active one')
      .description('show what a bundle resolves to, with everything it includes'),
    async (cli, [name]) => (await import('../commands/settings/bundle.js')).bundleShow(cli, name),
  );
  bind(
    bundle
      .command('check')
      .argument('[name]', 'a name or a source; default: the active one')
      .description('report which modules of a bundle are available here, which are left out, and the effect'),
    async (cli, [name]) => (await import('../commands/settings/bundle.js')).bundleCheck(cli, name),
  );
  bind(
    scoped(
      bundle
        .command('add')
        .argument('<name>', "what to call it; leave it out to use the bundle's own name")
        .argument('[source]', 'a folder, a file or an address')
        .description('name a bundle source'),
    ),
    async (cli, [name, source], options) =>
      (await import('../commands/settings/bundle.js')).bundleAdd(cli, name ?? '', source, options),
  );
  bind(
    scoped(bundle.command('remove').alias('rm').argument('<name>').description('remove a named bundle')),
    async (cli, [name], options) =>
      (await import('../commands/settings/bundle.js')).bundleRemove(cli, name ?? '', options),
  );
  bind(
    bundle
      .command('update')
      .argument('[name]', 'default: the active one')
      .description('fetch the newest version of a bundle'),
    async (cli, [name]) => (await import('../commands/settings/bundle.js')).bundleUpdate(cli, name),
  );
  bind(
    scoped(bundle.command('use').argument('<name>').description('use this bundle for new sessions')),
    async (cli, [name], options) =>
      (await import('../commands/settings/bundle.js')).bundleUse(cli, name ?? '', options),
  );
}

function addProviderCommands(program: Command, bind: Bind): void {
  const provider = program.command('provider').description('manage model providers');
  bind(
    provider.command('list').alias('ls').description('list the providers and whether each is set up'),
    async (cli) => (await import('../commands/settings/provider.js')).providerList(cli),
  );
  const add = provider
    .command('add')
    .argument('<kind>', 'anthropic, openai, gemini, azure-openai, ollama or openai-compatible')
    .description('configure a provider')
    .option('--id <name>', 'a name of its own, if there are several of a kind')
    .option('--api-key <key>', 'kept in keys.env; - reads it from standard input')
    .option('--base-url <url>', 'the address of its API')
    .option('-m, --model <model>', 'the model to use by default')
    .option('--priority <n>', 'the lowest number is used first');
  bind(scoped(add), async (cli, [kind], options) =>
    (await import('../commands/settings/provider-add.js')).providerAdd(cli, kind ?? '', options),
  );
  bind(
    provider
      .command('test')
      .argument('[name]', 'default: all')
      .description('make one real call to check a provider')
      .option('-m, --model <model>', 'use this model'),
    async (cli, [name], options) =>
      (await import('../commands/settings/provider.js')).providerTest(cli, name, options),
  );
  bind(
    provider
      .command('models')
      .argument('[name]', 'default: all')
      .description('list the models of a provider'),
    async (cli, [name]) => (await import('../commands/settings/provider.js')).providerModels(cli, name),
  );
}

function addRoutingCommands(program: Command, bind: Bind): void {
  const routing = program.command('routing').description('manage which model serves which role');
  bind(routing.command('list').alias('ls').description('list the routing matrices'), async (cli) =>
    (await import('../commands/settings/routing.js')).routingList(cli),
  );
  bind(routing.command('show').description('show what each role resolves to here'), async (cli) =>
    (await import('../commands/settings/routing.js')).routingShow(cli),
  );
  bind(
    scoped(routing.command('use').argument('<matrix>').description('use this routing matrix')),
    async (cli, [name], options) =>
      (await import('../commands/settings/routing.js')).routingUse(cli, name ?? '', options),
  );
  bind(
    routing.command('explain').argument('<role>').description('explain why a role resolves to its model'),
    async (cli, [role]) => (await import('../commands/settings/routing.js')).routingExplain(cli, role ?? ''),
  );
}

function addSettingCommands(program: Command, bind: Bind): void {
  const config = program.command('config').description('read and change settings');
  bind(
    config
      .command('get')
      .argument('[key]', 'such as bundle.active')
      .description('print the settings, or one of them'),
    async (cli, [key]) => (await import('../commands/settings/config.js')).configGet(cli, key),
  );
  bind(
    scoped(
      config
        .command('set')
        .argument('<key>')
        .argument('[value]', 'YAML; without one the key is removed')
        .description('change one setting; the rest of the file stays as it is'),
    ),
    async (cli, [key, value], options) =>
      (await import('../commands/settings/config.js')).configSet(cli, key ?? '', value, options),
  );
  bind(config.command('path').description('list the settings files'), async (cli) =>
    (await import('../commands/settings/config.js')).configPath(cli),
  );
  bind(
    scoped(config.command('edit').description('open a settings file in $EDITOR')),
    async (cli, _, options) => (await import('../commands/settings/config.js')).configEdit(cli, options),
  );
}
