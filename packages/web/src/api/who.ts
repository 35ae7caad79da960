import { computed, signal } from '@preact/signals';
import { whoAmI } from './calls.js';
import type { BrowserSession } from './types.js';

const me = signal<BrowserSession | null>(null);
let asked: Promise<BrowserSession> | null = null;

/** Who looks at the page. Asked once, unless it was refused. */
export function whoIsThis(): Promise<BrowserSession> {
  asked ??= whoAmI().then(
    (who) => {
      me.value = who;
      return who;
    },
    (error: unknown) => {
      asked = null;
      throw error;
    },
  );
  return asked;
}

/** The only tree that whoever came by a shared link sees; null for everybody else. */
export const sharedTree = computed(() => me.value?.shared_session ?? null);

/** False for whoever may only look. */
export const mayAct = computed(() => me.value === null || me.value.scope !== 'read');
