import type { ComponentChildren } from 'preact';

/** The options of a delegation that are seldom needed. What is left alone stays as the agent and the session have it. */
export function DelegateOptions() {
  return (
    <details class="options">
      <summary>More options</summary>
      <div class="grid">
        <Option name="Turns of context">
          <input name="context_turns" type="number" min={1} max={1_000} placeholder="5" />
        </Option>
        <Option name="Scope of context">
          <select name="context_scope">
            <option value="">what was said</option>
            <option value="agents">and what agents answered</option>
            <option value="full">and what tools gave back</option>
          </select>
        </Option>
        <Option name="Model">
          <input
            name="model"
            placeholder="provider/model"
            pattern="[^\/]+\/.+"
            title="provider/model, such as anthropic/claude-sonnet-*"
          />
        </Option>
        <Option name="Model role">
          <input name="model_role" placeholder="as the agent says" />
        </Option>
        <Option name="Safety mode">
          <select name="safety_mode">
            <option value="">as here</option>
            <option value="read_only">read only</option>
            <option value="propose">propose</option>
            <option value="write">write</option>
          </select>
        </Option>
        <Option name="Network">
          <select name="network">
            <option value="">as here</option>
            <option value="tools">not for commands</option>
            <option value="false">none</option>
          </select>
        </Option>
        <Option name="Isolation">
          <select name="isolation">
            <option value="">as the agent says</option>
            <option value="none">none</option>
            <option value="worktree">a worktree of its own</option>
            <option value="copy">a copy of its own</option>
          </select>
        </Option>
        <Option name="Time limit in seconds">
          <input name="timeout" type="number" min={1} placeholder="none of its own" />
        </Option>
        <Option name="Skills">
          <input name="skills" placeholder="name, name" />
        </Option>
        <Option name="Answer of at most">
          <input name="max_result" type="number" min={200} placeholder="characters" />
        </Option>
        <Option name="A longer answer">
          <select name="hand_back">
            <option value="">as configured</option>
            <option value="whole">stays whole</option>
            <option value="summary">is summed up</option>
          </select>
        </Option>
        <Option name="Attachments">
          <input name="attachments" type="file" multiple />
        </Option>
        <Option name="JSON Schema of the answer">
          <textarea name="output_schema" rows={1} placeholder="any answer" />
        </Option>
      </div>
    </details>
  );
}

function Option({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is among the children
    <label>
      <span class="dim">{name}</span>
      {children}
    </label>
  );
}
