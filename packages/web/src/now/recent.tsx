import type { TreeSummary } from '../api/types.js';
import { stateOf, wordOf } from '../live/state-of.js';
import { sessionPath } from '../route/route.js';
import { now } from '../ui/clock.js';
import { ago, money, plain, tokens } from '../ui/format.js';
import { StatusMark } from '../ui/status-mark.js';

export function Recent({ rows }: { rows: TreeSummary[] }) {
  return (
    <section class="recent" aria-labelledby="recent">
      <h2 id="recent">Recent</h2>
      <table class="rows">
        <thead>
          <tr>
            <th scope="col">Session</th>
            <th scope="col">State</th>
            <th scope="col" class="narrow">
              Project
            </th>
            <th scope="col" class="right narrow">
              Tokens
            </th>
            <th scope="col" class="right">
              Cost
            </th>
            <th scope="col" class="right narrow">
              Changed
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const state = stateOf(row);
            return (
              <tr key={row.session_id}>
                <td>
                  <a href={sessionPath(row.session_id)}>{plain(row.title ?? row.agent ?? row.session_id)}</a>
                </td>
                <td>
                  <StatusMark state={state} /> <span class={state}>{wordOf(row)}</span>
                </td>
                <td class="dim narrow">{row.project ? plain(row.project) : ''}</td>
                <td class="right num narrow">{tokens(row.total.tokens)}</td>
                <td class="right num">{row.total.tokens === 0 ? '$0' : money(row.total.cost_usd)}</td>
                <td class="right dim narrow">{ago(row.updated_at, now.value)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}
