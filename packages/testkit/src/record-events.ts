import type { HookRegistry, JsonObject } from '@amplifier/core';

export interface RecordedEvent {
  name: string;
  data: Readonly<JsonObject>;
}

/** Every event of a session in order. */
export interface EventRecorder {
  readonly events: RecordedEvent[];
  names(): string[];
  /** The payloads of one event. */
  of(name: string): Readonly<JsonObject>[];
  stop(): void;
}

export function recordEvents(hooks: HookRegistry): EventRecorder {
  const events: RecordedEvent[] = [];
  const stop = hooks.observe((name, data) => events.push({ name, data: structuredClone(data) }));
  return {
    events,
    names: () => events.map((event) => event.name),
    of: (name) => events.filter((event) => event.name === name).map((event) => event.data),
    stop,
  };
}
