import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

/** One line that opens. What is inside is made when it is opened first. */
export function Expandable(props: {
  head: ComponentChildren;
  /** Beside the line: what can be done without opening it. */
  beside?: ComponentChildren;
  class?: string;
  open?: boolean;
  children: () => ComponentChildren;
}) {
  const [open, setOpen] = useState(props.open ?? false);
  return (
    <div class={`expandable ${props.class ?? ''} ${open ? 'open' : ''}`}>
      <button type="button" class="head" aria-expanded={open} onClick={() => setOpen(!open)}>
        <span class="twist" aria-hidden="true" />
        {props.head}
      </button>
      {props.beside}
      {open ? <div class="body">{props.children()}</div> : null}
    </div>
  );
}
