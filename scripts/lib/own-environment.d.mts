export function ownEnvironment(env: NodeJS.ProcessEnv, folder: string): Record<string, string>;
