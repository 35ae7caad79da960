import { readSettings, readStatus, signOut } from '../api/calls.js';
import type { Json, Settings } from '../api/types.js';
import { whoIsThis } from '../api/who.js';
import { signedOut } from '../signed-out.js';
import { duration, plain } from '../ui/format.js';
import { Shown, useLoaded } from '../ui/load.js';
import { attempt } from '../ui/notices.js';
import { StatusMark } from '../ui/status-mark.js';
import { Providers } from './providers.js';
import { Tokens } from './tokens.js';

/** What applies and from where, who may come in, and how the daemon is. */
export default function SettingsPage() {
  const [who] = useLoaded(whoIsThis, []);
  const [settings] = useLoaded(readSettings, []);
  const [status] = useLoaded(readStatus, []);
  const leave = async (everywhere: boolean) => {
    const done = await attempt(() => signOut(everywhere).then(() => true));
    if (done) signedOut.value = true;
  };
  return (
    <main class="page settings">
      <h1>Settings</h1>
      <section>
        <h2>Health</h2>
        <Shown of={status} rows={2}>
          {(value) => (
            <dl class="facts-list">
              {Object.entries(value)
                .filter(([, each]) => each === null || typeof each !== 'object')
                .map(([name, each]) => (
                  <>
                    <dt>{NAMES[name] ?? name.replaceAll('_', ' ')}</dt>
                    <dd>{healthWords(name, each)}</dd>
                  </>
                ))}
            </dl>
          )}
        </Shown>
      </section>
      <Providers />
      <section>
        <h2>What applies</h2>
        <Shown of={settings}>{(value) => <SettingFiles settings={value} />}</Shown>
      </section>
      {who.value?.scope === 'admin' ? <Tokens /> : null}
      <section>
        <h2>This browser</h2>
        <Shown of={who} rows={2}>
          {(value) => (
            <p class="row">
              <span>
                Signed in with the scope <code>{value.scope}</code>
                {value.expires_at ? ` until ${value.expires_at.slice(0, 16).replace('T', ' ')}` : ''}, version{' '}
                {value.version}.
              </span>
              <span class="grow" />
              <button type="button" onClick={() => leave(false)}>
                Sign out
              </button>
              <button type="button" onClick={() => leave(true)}>
                Sign out everywhere
              </button>
            </p>
          )}
        </Shown>
      </section>
    </main>
  );
}

const NAMES: Record<string, string> = { uptime_seconds: 'up for', started_at: 'since', pid: 'process' };

function healthWords(name: string, value: unknown): preact.ComponentChildren {
  if (name === 'uptime_seconds') return duration(Number(value) * 1000);
  if (name === 'started_at') return new Date(String(value)).toLocaleString();
  if (name !== 'status') return plain(String(value));
  const state = value === 'ready' ? 'done' : 'waiting';
  return (
    <>
      <StatusMark state={state} /> {plain(String(value))}
    </>
  );
}

function SettingFiles({ settings }: { settings: Settings }) {
  return (
    <>
      <dl class="facts-list">
        <dt>Home</dt>
        <dd>{plain(settings.home)}</dd>
        {settings.folder ? (
          <>
            <dt>Folder</dt>
            <dd>{plain(settings.folder)}</dd>
            <dt>Trust</dt>
            <dd>{plain(settings.trust ?? 'not asked')}</dd>
          </>
        ) : null}
      </dl>
      <table class="rows">
        <thead>
          <tr>
            <th scope="col">Setting</th>
            <th scope="col">Value</th>
            <th scope="col" class="narrow">
              From
            </th>
          </tr>
        </thead>
        <tbody>{settings.files.flatMap((file) => rowsOf(file))}</tbody>
      </table>
    </>
  );
}

/** Later files override earlier ones. */
function rowsOf({ scope, path, exists, says }: Settings['files'][number]) {
  const all = flat(says);
  if (all.length === 0)
    return [
      <tr key={path}>
        <td class="dim">{scope}</td>
        <td class="dim">{exists ? 'says nothing' : 'is not there'}</td>
        <td class="dim narrow">{plain(path)}</td>
      </tr>,
    ];
  return all.map(([name, value]) => (
    <tr key={path + name}>
      <td>
        <code>{plain(name)}</code>
      </td>
      <td>{plain(value)}</td>
      <td class="dim narrow">
        {scope}: {plain(path)}
      </td>
    </tr>
  ));
}

const isObject = (value: unknown): boolean => value !== null && typeof value === 'object';

function flat(value: Json, before = ''): [string, string][] {
  return Object.entries(value).flatMap(([name, each]): [string, string][] =>
    each !== null && typeof each === 'object' && (!Array.isArray(each) || each.some(isObject))
      ? flat(each as Json, `${before}${name}.`)
      : [[`${before}${name}`, typeof each === 'string' ? each : JSON.stringify(each)]],
  );
}
