import type { Command } from 'commander';
import type { Bind } from '../program.js';

export function addConfigCommands(program: Command, bind: Bind): void {
  addBundleCommands(program, bind);
  addProviderCommands(program, bind);
  addRoutingCommands(program, bind);
  addSettingCommands(program, bind);
  const init = program
    .command('init')
    .description('set up: find keys, a local model and coding agents, and write the settings')
    .option('-y, --yes', 'ask nothing; take what is found')
    .option('--no-test', 'do not call the providers that were found');
  bind(init, async (cli, _, options) => (await import('../commands/init.js')).init(cli, options));
  const doctor = program
    .command('doctor')
    .description('what works, what does not, and the command that fixes it');
  bind(doctor, async (cli) => (await import('../commands/doctor.js')).doctor(cli));
  addReference(program, bind);
  const completion = program
    .command('completion')
    .argument('<shell>', 'bash, zsh or fish')
    .description('print a script that completes commands in your shell');
  bind(completion, async (cli, [shell]) =>
    (await import('../commands/completion.js')).completion(cli, shell ?? ''),
  );
  const complete = program
    .command('complete', { hidden: true })
    .argument('[words...]')
    .description('print what may come next on a command line');
  bind(complete, async (cli, args) =>
    (await import('../commands/completion.js')).complete(cli, args.flat() as string[], program),
  );
}

function addReference(program: Command, bind: Bind): void {
  const reference = program
    .command('reference', { hidden: true })
    .description('print the whole command line as Markdown');
  bind(reference, async (cli) => (await import('../commands/reference.js')).reference(cli, program));
}

function scoped(command: Command): Command {
  return command
    .option('--user', 'for you in every project')
    .option('--project', 'for everybody in this project')
    .option('--local', 'for you in this project');
}

function addBundleCommands(program: Command, bind: Bind): void {
  const bundle = program.command('bundle').description('the bundles sessions are made of');
  bind(bundle.command('list').alias('ls').description('every bundle that goes by a name'), async (cli) =>
    (await import('../commands/bundle.js')).bundleList(cli),
  );
  bind(
    bundle
      .command('show')
      .argument('[name]', 'default: the active one')
      .description('what a bundle comes to, with all it includes'),
    async (cli, [name]) => (await import('../commands/bundle.js')).bundleShow(cli, name),
  );
  bind(
    scoped(bundle.command('add').argument('<name>').argument('<source>').description('give a source a name')),
    async (cli, [name, source], options) =>
      (await import('../commands/bundle.js')).bundleAdd(cli, name ?? '', source ?? '', options),
  );
  bind(
    scoped(bundle.command('remove').alias('rm').argument('<name>').description('forget a name')),
    async (cli, [name], options) =>
      (await import('../commands/bundle.js')).bundleRemove(cli, name ?? '', options),
  );
  bind(
    bundle
      .command('update')
      .argument('[name]', 'default: the active one')
      .description('fetch the newest state of a bundle'),
    async (cli, [name]) => (await import('../commands/bundle.js')).bundleUpdate(cli, name),
  );
  bind(
    scoped(bundle.command('use').argument('<name>').description('make sessions of this bundle from now on')),
    async (cli, [name], options) =>
      (await import('../commands/bundle.js')).bundleUse(cli, name ?? '', options),
  );
}

function addProviderCommands(program: Command, bind: Bind): void {
  const provider = program.command('provider').description('the doors to models');
  bind(
    provider.command('list').alias('ls').description('every provider and whether it can be used'),
    async (cli) => (await import('../commands/provider.js')).providerList(cli),
  );
  const add = provider
    .command('add')
    .argument('<kind>', 'anthropic, openai, gemini, azure-openai, ollama or openai-compatible')
    .description('configure a provider')
    .option('--id <name>', 'the name to use it by, when there are several of a kind')
    .option('--api-key <key>', 'kept in keys.env; - reads it from standard input')
    .option('--base-url <url>', 'where it is')
    .option('-m, --model <model>', 'the model to use by default')
    .option('--priority <n>', 'lower goes first');
  bind(scoped(add), async (cli, [kind], options) =>
    (await import('../commands/provider-add.js')).providerAdd(cli, kind ?? '', options),
  );
  bind(
    provider
      .command('test')
      .argument('[name]', 'default: all')
      .description('make a real call and see whether it answers')
      .option('-m, --model <model>', 'with this model'),
    async (cli, [name], options) =>
      (await import('../commands/provider.js')).providerTest(cli, name, options),
  );
  bind(
    provider.command('models').argument('[name]', 'default: all').description('the models a provider has'),
    async (cli, [name]) => (await import('../commands/provider.js')).providerModels(cli, name),
  );
}

function addRoutingCommands(program: Command, bind: Bind): void {
  const routing = program.command('routing').description('which model serves which role');
  bind(routing.command('list').alias('ls').description('the matrices there are'), async (cli) =>
    (await import('../commands/routing.js')).routingList(cli),
  );
  bind(routing.command('show').description('the roles and what each comes to here'), async (cli) =>
    (await import('../commands/routing.js')).routingShow(cli),
  );
  bind(
    scoped(routing.command('use').argument('<matrix>').description('route by this matrix from now on')),
    async (cli, [name], options) =>
      (await import('../commands/routing.js')).routingUse(cli, name ?? '', options),
  );
  bind(
    routing.command('explain').argument('<role>').description('why a role comes to the model it does'),
    async (cli, [role]) => (await import('../commands/routing.js')).routingExplain(cli, role ?? ''),
  );
}

function addSettingCommands(program: Command, bind: Bind): void {
  const config = program.command('config').description('the settings');
  bind(
    config.command('get').argument('[key]', 'such as bundle.active').description('what the settings say'),
    async (cli, [key]) => (await import('../commands/config.js')).configGet(cli, key),
  );
  bind(
    scoped(
      config
        .command('set')
        .argument('<key>')
        .argument('[value]', 'YAML; without one the key is removed')
        .description('change one setting and leave the rest of the file as it is'),
    ),
    async (cli, [key, value], options) =>
      (await import('../commands/config.js')).configSet(cli, key ?? '', value, options),
  );
  bind(config.command('path').description('the files the settings come from'), async (cli) =>
    (await import('../commands/config.js')).configPath(cli),
  );
  bind(
    scoped(config.command('edit').description('open a settings file in $EDITOR')),
    async (cli, _, options) => (await import('../commands/config.js')).configEdit(cli, options),
  );
}
