import type { ComponentType } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { whoAmI } from './api/calls.js';
import { onSignedOut } from './api/http.js';
import { sharedTree } from './api/who.js';
import { Keys } from './palette/keys.js';
import { Palette } from './palette/palette.js';
import { go, place, type Room, sessionPath } from './route/route.js';
import { Shell } from './shell.js';
import { SignedOut, signedOut } from './signed-out.js';
import { Notices } from './ui/notices.js';
import { Skeleton } from './ui/skeleton.js';

/** A room is loaded when it is entered first. */
const ROOMS: Record<Room, () => Promise<{ default: ComponentType }>> = {
  now: () => import('./now/now-page.js'),
  session: () => import('./session/session-page.js'),
  timeline: () => import('./timeline/timeline-page.js'),
  agents: () => import('./agents/agents-page.js'),
  spend: () => import('./spend/spend-page.js'),
  settings: () => import('./settings/settings-page.js'),
  unknown: () => import('./unknown-page.js'),
};

const loaded = new Map<Room, ComponentType>();

onSignedOut(() => {
  signedOut.value = true;
});

export function App() {
  const { room } = place.value;
  const [, drawAgain] = useState(0);
  // Not after the next frame: what is asked for now is here sooner.
  useLayoutEffect(() => {
    if (loaded.has(room)) return;
    void ROOMS[room]().then(
      (module) => {
        loaded.set(room, module.default);
        drawAgain((n) => n + 1);
      },
      // The daemon is away, or is a new version that has files of other names: begin anew once it answers.
      () =>
        void whoAmI().then(
          () => location.reload(),
          () => {},
        ),
    );
  }, [room]);
  const shared = sharedTree.value;
  useLayoutEffect(() => {
    // A shared link leads to one tree, and nowhere else.
    if (shared !== null && room !== 'session' && room !== 'timeline')
      go(sessionPath(shared), { replace: true });
  }, [shared, room]);
  const Page = loaded.get(room);
  if (signedOut.value) return <SignedOut />;
  return (
    <Shell>
      {Page ? <Page /> : <Skeleton />}
      <Palette />
      <Keys />
      <Notices />
    </Shell>
  );
}
