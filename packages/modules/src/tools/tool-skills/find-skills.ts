import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { errorInfo } from '@amplifier/core';
import { isWithin } from '@amplifier/workspace';
import { SKILL_MAX_BYTES } from '../defaults.js';
import { parseSkill, type Skill } from './parse-skill.js';

export interface FoundSkill extends Skill {
  /** The folder of the skill. */
  folder: string;
}

export interface FoundSkills {
  /** By name. */
  skills: Map<string, FoundSkill>;
  /** One sentence for each skill that was left out. */
  problems: string[];
}

/** The skills of several folders; the first that has a name keeps it. */
export async function findSkills(folders: readonly string[]): Promise<FoundSkills> {
  const skills = new Map<string, FoundSkill>();
  const problems: string[] = [];
  for (const root of folders) {
    for (const folder of await skillFolders(root)) {
      try {
        const skill = await readSkill(root, folder);
        if (skill && !skills.has(skill.name)) skills.set(skill.name, skill);
      } catch (error) {
        problems.push(`The skill in ${folder} is left out: ${errorInfo(error).message}.`);
      }
    }
  }
  return { skills, problems };
}

async function skillFolders(root: string): Promise<string[]> {
  try {
    return (await readdir(root)).sort().map((name) => join(root, name));
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw error;
  }
}

/** Null for a folder without a SKILL.md. */
async function readSkill(root: string, folder: string): Promise<FoundSkill | null> {
  const file = join(folder, 'SKILL.md');
  const info = await stat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw error;
  });
  if (!info) return null;
  if (!info.isFile()) throw new Error('its SKILL.md is not a file');
  if (info.size > SKILL_MAX_BYTES)
    throw new Error(`its SKILL.md has ${info.size} bytes, more than ${SKILL_MAX_BYTES}`);
  if (!isWithin(await realpath(root), await realpath(file)))
    throw new Error('a symbolic link leads out of the folder of skills');
  return { ...(await parseSkill(await readFile(file, 'utf8'), basename(folder))), folder };
}
