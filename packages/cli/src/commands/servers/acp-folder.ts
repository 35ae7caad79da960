import type { AgentFolder, AgentModel } from '@amplifier/acp';
import { type Host, type JsonObject, requireTrust } from '@amplifier/host';

/** An editor that opens a session does not want to wait for a provider that is slow to say what it has. */
const LISTING_MS = 2000;

/** Listed once for each host: providers answer slowly. */
const MODELS = new WeakMap<Host, Promise<AgentModel[]>>();

/**
 * One folder, for an editor. Whoever opened the folder in an editor and is asked about every change may have it changed; a
 * mode in which nobody is asked needs the folder to be trusted.
 */
export async function acpFolder(hostThat: (asks: boolean) => Promise<Host>): Promise<AgentFolder> {
  const host = await hostThat(true);
  return {
    store: host.store,
    models: () => {
      const listed = MODELS.get(host) ?? modelsOf(host);
      MODELS.set(host, listed);
      return listed;
    },
    async start({ id, safety_mode, model, mcp_servers }, turn) {
      const { paths, settings } = host.project;
      if (safety_mode === 'yolo') await requireTrust(paths.cwd, safety_mode, settings);
      const { outcome } = await (await hostThat(safety_mode !== 'yolo')).run({
        ...turn,
        ...chosen(model),
        session_id: id,
        safety_mode,
        trusted: true,
        mcp_servers: mcp_servers as unknown as JsonObject[],
      });
      return outcome;
    },
    async resume({ id, safety_mode, mcp_servers }, { instruction, ...watching }) {
      const { paths, settings } = host.project;
      if (safety_mode === 'yolo') await requireTrust(paths.cwd, safety_mode, settings);
      const running = await hostThat(safety_mode !== 'yolo');
      running.lend(mcp_servers as unknown as JsonObject[]);
      const rights = await running.rightsFor(id, safety_mode, true);
      const turn = { ...watching, rights: rights ?? undefined };
      return (await running.delegator.resume(id, instruction, turn)).outcome;
    },
  };
}

/** `provider/model`: models of several providers may have the same name. */
function chosen(id: string | null): { provider?: string; model?: string } {
  const [, provider, model] = /^([^/]+)\/(.+)$/.exec(id ?? '') ?? [];
  return provider === undefined || model === undefined ? {} : { provider, model };
}

/** The default model of the provider a session would use first, then all there are. */
async function modelsOf({ readings }: Host): Promise<AgentModel[]> {
  const usable = readings.flatMap(({ name, provider }) => (provider ? [{ name, provider }] : []));
  const listed = await Promise.all(
    usable.map(async ({ name, provider }) => {
      const infos = await inTime(provider.listModels());
      const windows = new Map(infos.map(({ id, context_window }) => [id, context_window]));
      const { defaultModel } = provider;
      const all = [...(defaultModel === undefined ? [] : [defaultModel]), ...windows.keys()];
      return [...new Set(all)].map((id) => {
        const context_window = windows.get(id) ?? provider.modelInfo?.(id)?.context_window;
        return { id: `${name}/${id}`, name: `${id} (${name})`, context_window };
      });
    }),
  );
  return listed.flat();
}

/** Nothing where the answer does not come, or not in time. */
function inTime<T>(listing: Promise<T[]>): Promise<T[]> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve([]), LISTING_MS);
    listing.then(resolve, () => resolve([])).finally(() => clearTimeout(timer));
  });
}
