import { useState } from 'preact/hooks';
import { readProviders, testProvider } from '../api/calls.js';
import { errorWords } from '../api/client.js';
import type { Provider as Known } from '../api/types.js';
import { plain } from '../ui/format.js';
import { Shown, useLoaded } from '../ui/load.js';
import { StatusMark } from '../ui/status-mark.js';

/** Whose models can be used; a button asks each whether it answers. */
export function Providers() {
  const [providers] = useLoaded(readProviders, []);
  return (
    <section>
      <h2>Providers</h2>
      <Shown of={providers} rows={3}>
        {(all) =>
          all.length === 0 ? (
            <p class="dim">
              No provider is configured. <code>amplifier doctor</code> says how.
            </p>
          ) : (
            <ul class="provider-list">
              {all.map((provider) => (
                <Provider key={provider.name} provider={provider} />
              ))}
            </ul>
          )
        }
      </Shown>
    </section>
  );
}

function Provider({ provider }: { provider: Known }) {
  const [result, setResult] = useState<{ ok: boolean; words: string } | 'asking' | null>(null);
  const { name } = provider;
  const test = async () => {
    setResult('asking');
    setResult(
      await testProvider(name).then(
        ({ ok, detail }) => ({ ok, words: detail }),
        (error: unknown) => ({ ok: false, words: errorWords(error) }),
      ),
    );
  };
  const about = [provider.default_model, provider.module, provider.problem].filter(Boolean).join(' · ');
  return (
    <li class="row">
      <strong>{plain(name)}</strong>
      <span class="dim">{plain(about)}</span>
      <span class="grow" />
      <span role="status">
        {result === 'asking' ? 'Asking…' : null}
        {result !== null && result !== 'asking' ? (
          <>
            <StatusMark state={result.ok ? 'done' : 'failed'} /> {plain(result.words)}
          </>
        ) : null}
      </span>
      <button type="button" onClick={test} disabled={result === 'asking'}>
        Test
      </button>
    </li>
  );
}
