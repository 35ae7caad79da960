import { z } from 'zod';
import { defineTool, LOOKS } from './tool.js';

export const listRoles = defineTool({
  name: 'list_roles',
  title: 'List roles',
  description: 'List the personas that delegate can add before a prompt, and the source of each.',
  input: z.strictObject({
    working_dir: z.string().min(1).nullish().describe('The working folder. Default: that of this server.'),
  }),
  output: z.object({
    roles: z.array(
      z.object({ id: z.string(), name: z.string(), description: z.string(), source: z.string() }),
    ),
    problems: z.array(z.string()),
  }),
  annotations: LOOKS,
  async run({ working_dir }, { service }) {
    const { roles, problems } = await service.roles(
      await service.settings(),
      await service.folder(working_dir),
    );
    const listed = [...roles.values()].map(({ id, name, description, source }) => ({
      id,
      name,
      description,
      source,
    }));
    return { roles: listed, problems };
  },
  text: ({ roles, problems }) =>
    [...roles.map(({ id, description }) => `${id}: ${description}`), ...problems].join('\n'),
});
