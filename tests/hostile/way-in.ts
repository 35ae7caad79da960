import type { JsonObject } from '@amplifier/core';
import type { TempGitRepo, TempWorkspace } from '@amplifier/testkit';

/** What a way in aims at. Each has a marker, a path of the port and secrets of its own to betray itself by. */
export interface Trap {
  /** A file outside of the folder. Nobody but the attack writes it. */
  marker: string;
  /** A shell command that writes the marker and then calls the port. */
  command: string;
  /** An address of the port that listens. Nobody but the attack calls it. */
  url: string;
  /** A file outside of the folder, below the user's home, with a secret in it. */
  secretFile: string;
  /** A variable of the environment with a secret in it. */
  secretVariable: string;
  /** The folder that was attacked. */
  folder: string;
}

/** Whom it is aimed at: the repository as it was cloned, and the user's home. */
interface Attacked {
  folder: TempGitRepo;
  user: TempWorkspace;
}

/**
 * One way by which a repository, a model or a text could get something done that nobody allowed. A file in `ways-in/` with one
 * of these as its default export takes part in everything.
 */
export interface WayIn {
  /** Letters, digits and -; the name of its marker and of its path at the port. */
  name: string;
  /** What the repository holds for it. */
  files?(trap: Trap): Record<string, string>;
  /** Laid over the repository's `.amplifier/settings.yaml`: lists are joined, mappings merged. */
  settings?(trap: Trap): JsonObject;
  /** What files alone cannot say: links, pipes, sessions. */
  prepare?(trap: Trap, scene: Attacked): Promise<void>;
  /** What is asked for: the model does what its directives say, one answer after the other, parted by `!then`. */
  prompt?(trap: Trap): string;
  /** What the user does afterwards, unconfined and unsuspecting. */
  finish?(trap: Trap, scene: Attacked): Promise<void>;
  /** Is it tried by the model, or a server of the user's, whatever the folder holds? Then trust makes no difference. */
  by_a_model?: boolean;
  /** Does it act when a person trusts the folder? Such ways show that the traps work. */
  acts_when_trusted?: boolean;
}
