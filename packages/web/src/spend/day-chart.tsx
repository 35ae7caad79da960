import type { SpendRow } from '../api/types.js';
import { money, tokens } from '../ui/format.js';

const HEIGHT = 96;

/** A bar for each day: its cost, or its tokens where no cost is known. */
export function DayChart({ rows, days }: { rows: SpendRow[]; days: number }) {
  const byDay = new Map(rows.map((row) => [row.key, row]));
  const priced = rows.some(({ cost_usd }) => Number(cost_usd ?? 0) > 0);
  const value = (row: SpendRow | undefined): number =>
    row === undefined ? 0 : priced ? Number(row.cost_usd ?? 0) : row.input_tokens + row.output_tokens;
  const all = Array.from({ length: days }, (_, at) => {
    const day = new Date(Date.now() - (days - 1 - at) * 86_400_000).toISOString().slice(0, 10);
    return { day, row: byDay.get(day) };
  });
  const most = Math.max(...all.map(({ row }) => value(row)), 0);
  const show = (n: number) => (priced ? money(n) : `${tokens(n)} tokens`);
  return (
    <figure class="days">
      <svg
        viewBox={`0 0 ${days} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${priced ? 'Cost' : 'Tokens'} by day, at most ${show(most)}`}
      >
        {all.map(({ day, row }, at) => {
          const height = most > 0 ? (value(row) / most) * (HEIGHT - 4) : 0;
          return (
            <g key={day}>
              <rect class="ground" x={at} width={0.82} y={0} height={HEIGHT} />
              <rect class="value" x={at} width={0.82} y={HEIGHT - height} height={height} />
              <title>
                {day}: {show(value(row))}
              </title>
            </g>
          );
        })}
      </svg>
      <figcaption class="dim num">
        <span>{all[0]?.day}</span>
        <span>at most {show(most)} a day</span>
        <span>{all.at(-1)?.day}</span>
      </figcaption>
    </figure>
  );
}
