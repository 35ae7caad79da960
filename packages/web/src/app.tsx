import type { ComponentType } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import AgentsPage from './agents/agents-page.js';
import { onSignedOut } from './api/client.js';
import { sharedTree } from './api/who.js';
import NowPage from './now/now-page.js';
import { Keys } from './palette/keys.js';
import { Palette } from './palette/palette.js';
import { go, place, type Room, sessionPath } from './route/route.js';
import SessionPage from './session/session-page.js';
import SettingsPage from './settings/settings-page.js';
import { Shell } from './shell.js';
import { SignedOut, signedOut } from './signed-out.js';
import SpendPage from './spend/spend-page.js';
import TimelinePage from './timeline/timeline-page.js';
import { Notices } from './ui/notices.js';

/** All in one file: all rooms together are as large as a picture, and none is waited for when it is entered. */
const ROOMS: Record<Room, ComponentType> = {
  now: NowPage,
  session: SessionPage,
  timeline: TimelinePage,
  agents: AgentsPage,
  spend: SpendPage,
  settings: SettingsPage,
  unknown: UnknownPage,
};

onSignedOut(() => {
  signedOut.value = true;
});

export function App() {
  const { room } = place.value;
  const shared = sharedTree.value;
  useLayoutEffect(() => {
    // A shared link leads to one tree, and nowhere else.
    if (shared !== null && room !== 'session' && room !== 'timeline')
      go(sessionPath(shared), { replace: true });
  }, [shared, room]);
  const Page = ROOMS[room];
  if (signedOut.value) return <SignedOut />;
  return (
    <Shell>
      <Page />
      <Palette />
      <Keys />
      <Notices />
    </Shell>
  );
}

function UnknownPage() {
  return (
    <main class="page">
      <h1>There is no such page</h1>
      <p>
        This address does not exist. <a href="/">Go to the start page.</a>
      </p>
    </main>
  );
}
