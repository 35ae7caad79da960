import type { Json, Launch } from '../api/types.js';
import { Expandable } from '../ui/expandable.js';
import { count, money, plain } from '../ui/format.js';

interface Passed {
  role?: string;
  characters?: number;
  cut?: boolean;
  path?: string;
  because?: string;
  reason?: string;
}

/** The launch record in words: context, rights, limits and the model. */
export function LaunchFacts({ launch }: { launch: Partial<Launch> }) {
  const { context = {}, model = {}, workspace = {}, grant_in_words: words = [], limits = [] } = launch;
  return (
    <>
      {words.length > 0 || launch.safety_mode ? (
        <section>
          <h2>May</h2>
          <ul class="may">
            {words.map((word) => (
              <li key={word}>
                <GrantLine words={plain(word)} />
              </li>
            ))}
          </ul>
          <dl>
            {launch.safety_mode ? <Fact name="Safety mode">{launch.safety_mode}</Fact> : null}
            {workspace.cwd ? <Fact name="Folder">{plain(String(workspace.cwd))}</Fact> : null}
            {workspace.isolation && workspace.isolation !== 'none' ? (
              <Fact name="Isolation">{String(workspace.isolation)}</Fact>
            ) : null}
          </dl>
        </section>
      ) : null}
      <Limits limits={limits} />
      {Object.keys(model).length > 0 ? <Model model={model} /> : null}
      {Object.keys(context).length > 0 ? <Context context={context} /> : null}
    </>
  );
}

/** Places that are named before the rest is folded. */
const NAMED = 2;

/** A line of the grant; a long list of places is folded. */
function GrantLine({ words }: { words: string }) {
  const places = words.split(', ');
  if (places.length <= NAMED + 2) return <>{words}</>;
  const rest = places.slice(NAMED);
  return (
    <>
      {places.slice(0, NAMED).join(', ')}
      <Expandable head={<span class="dim">and {rest.length} more</span>}>{() => rest.join(', ')}</Expandable>
    </>
  );
}

function figure(name: string, value: unknown): string {
  if (name.endsWith('_usd')) return money(String(value));
  return typeof value === 'number' ? value.toLocaleString('en') : String(value);
}

const UNITS: Record<string, string> = { timeout: ' s', stall: ' s' };

function Limits({ limits }: { limits: Launch['limits'] }) {
  const set = limits.filter(({ limit }) => limit !== null);
  if (set.length === 0) return null;
  return (
    <section>
      <h2>Limits</h2>
      <dl>
        {set.map(({ name, limit, used }) => (
          <Fact key={name} name={name.replace(/^max_/, '').replace(/_usd$/, '').replaceAll('_', ' ')}>
            {used === null ? figure(name, limit) : `${figure(name, used)} of ${figure(name, limit)}`}
            {UNITS[name] ?? ''}
            {used !== null && Number(limit) > 0 ? (
              <meter
                min={0}
                max={Number(limit)}
                value={Math.min(Number(used), Number(limit))}
                aria-label={`${name} used`}
              />
            ) : null}
          </Fact>
        ))}
      </dl>
    </section>
  );
}

function Model({ model }: { model: Json }) {
  const candidates = list(model.candidates).map(object);
  return (
    <section>
      <h2>Model</h2>
      {model.because ? <p>{plain(String(model.because))}</p> : null}
      {candidates.length > 0 ? (
        <ol class="words">
          {candidates.map((each, at) => (
            <li key={at}>
              {plain([each.provider, each.model].filter(Boolean).join(' / '))}
              {each.because || each.source ? (
                <span class="dim"> {plain(String(each.because ?? each.source))}</span>
              ) : null}
            </li>
          ))}
        </ol>
      ) : null}
    </section>
  );
}

function Context({ context }: { context: Json }) {
  const passed = list(context.passed) as Passed[];
  const dropped = list(context.dropped) as Passed[];
  return (
    <section>
      <h2>Was given</h2>
      <p>
        {count(passed.length, 'message')} of its parent
        {context.depth ? ` (${context.depth})` : ''}
        {typeof context.tokens === 'number' ? `, about ${count(context.tokens, 'token')}` : ''}.
        {dropped.length > 0 ? ` ${count(dropped.length, 'message')} left out.` : ''}
      </p>
      {passed.length + dropped.length > 0 ? (
        <Expandable head="What was passed, and what not">
          {() => (
            <ul class="words">
              {passed.slice(0, 200).map((each, at) => (
                <li key={at}>
                  {each.role ?? each.path}: {count(each.characters ?? 0, 'character')}
                  {each.cut ? ', cut' : ''}
                </li>
              ))}
              {dropped.slice(0, 200).map((each, at) => (
                <li key={`d${at}`} class="dim">
                  left out: {each.role ?? each.path} {each.because ?? each.reason ?? ''}
                </li>
              ))}
            </ul>
          )}
        </Expandable>
      ) : null}
    </section>
  );
}

function object(value: unknown): Json {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Json) : {};
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function Fact({ name, children }: { name: string; children: preact.ComponentChildren }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}
