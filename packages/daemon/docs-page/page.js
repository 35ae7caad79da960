const message = document.getElementById('message');
const operations = document.getElementById('operations');
let token = '';
let description;

document.getElementById('sign-in').addEventListener('submit', async (event) => {
  event.preventDefault();
  token = document.getElementById('token').value.trim();
  const response = await call('GET', '/openapi.json');
  const body = await response.json();
  message.textContent = response.ok ? '' : body.detail;
  if (!response.ok) return;
  description = body;
  show();
});

function call(method, path, body) {
  const headers = { authorization: `Bearer ${token}` };
  if (body) headers['content-type'] = 'application/json';
  return fetch(path, { method, headers, body: body || undefined });
}

function show() {
  const byTag = new Map();
  for (const [path, methods] of Object.entries(description.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const tag = operation.tags?.[0] ?? 'other';
      byTag.set(tag, [
        ...(byTag.get(tag) ?? []),
        element('details', { class: method }, ...describe(method, path, operation)),
      ]);
    }
  }
  operations.replaceChildren(...[...byTag].flatMap(([tag, entries]) => [element('h2', {}, tag), ...entries]));
}

function describe(method, path, operation) {
  const body = element('div', { class: 'body' });
  const fields = (operation.parameters ?? []).map((parameter) => {
    const input = element('input', { placeholder: parameter.schema?.description ?? '' });
    return { parameter, input, label: element('label', {}, `${parameter.name} (${parameter.in})`, input) };
  });
  const schema = resolve(operation.requestBody?.content?.['application/json']?.schema);
  const text = schema ? element('textarea', {}) : null;
  if (text) text.value = JSON.stringify(schema.example ?? {}, null, 2);
  const send = element('button', { type: 'button' }, 'Send');
  const output = element('pre', {});
  send.addEventListener('click', async () => {
    const query = new URLSearchParams();
    let address = path;
    for (const { parameter, input } of fields) {
      if (parameter.in === 'path')
        address = address.replace(`{${parameter.name}}`, encodeURIComponent(input.value));
      else if (input.value !== '') query.append(parameter.name, input.value);
    }
    const suffix = query.size > 0 ? `?${query}` : '';
    const response = await call(method.toUpperCase(), address + suffix, text?.value);
    output.textContent = `${response.status} ${response.statusText}\n${pretty(await response.text())}`;
  });
  const responses = Object.entries(operation.responses).map(
    ([status, { description: what }]) => `${status}  ${what.replace(/\n+/g, '\n     ')}`,
  );
  body.append(
    element('p', {}, operation.description ?? ''),
    ...fields.map(({ label }) => label),
    ...(text ? [element('label', {}, 'Body', text)] : []),
    send,
    output,
    element('pre', {}, responses.join('\n')),
  );
  return [
    element(
      'summary',
      {},
      element('b', {}, method),
      element('code', {}, path),
      element('span', {}, operation.summary),
    ),
    body,
  ];
}

function resolve(schema) {
  const name = schema?.$ref?.split('/').at(-1);
  return name ? description.components.schemas[name] : schema;
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}
