import { expect, it } from 'vitest';
import { OneHome } from './entry-points.js';

// Several real programs are started; on a busy machine each takes its time, and that is no failure.
const PATIENCE_MS = 120_000;

it(
  'a session made at one entry point is listed, opened, resumed and watched at every other',
  async () => {
    await using all = await OneHome.open();
    const { points, rest } = await all.entryPoints();
    const made = new Map<string, string>();
    for (const { name, make } of points) made.set(name, await make(`!say Made by ${name}.`));
    for (const { name, list } of points)
      expect(await list(), `what ${name} lists`).toEqual(expect.arrayContaining([...made.values()]));
    // Other processes give it turns from now on; whoever follows it over REST sees each as it ends.
    const ends = rest.follow(made.get('CLI') ?? '', points.length);
    for (const [maker, id] of made)
      for (const { name, resume } of points)
        if (name !== maker)
          expect(await resume(id, `!say ${name} was here.`), `${name} on ${maker}'s`).toContain(
            `${name} was here.`,
          );
    expect(await ends).toHaveLength(points.length);
    for (const [maker, id] of made) {
      for (const { name, show } of points) {
        const shown = await show(id);
        for (const other of points)
          if (other.name !== maker)
            expect(shown, `what ${name} shows of ${maker}'s`).toContain(`${other.name} was here.`);
      }
    }
  },
  PATIENCE_MS,
);
