import type { MountPlan, Report } from '@amplifier/core';
import type { AgentLoader, Bundle, BundleRegistry, SourceResolver } from '@amplifier/foundation';
import type { Environment } from '../environment.js';
import type { HostPaths } from '../host-paths.js';
import type { PinnedModules } from '../pinned/pinned-modules.js';
import type { ActingPart } from '../trust/acting-parts.js';
import type { FolderTrust, TrustedSettings } from '../trust/folder-trust.js';

/** A folder with everything that files say about how to work in it. Nothing runs yet. */
export interface Project {
  paths: HostPaths;
  /** The process's variables over those of `keys.env`. */
  environment: Environment;
  settings: TrustedSettings;
  /** Whether the folder's own files may act. Where they may not, nothing of them is in the other members but text. */
  trust: FolderTrust;
  bundle: Bundle;
  /** The bundle as the user alone chose it: its guards and addresses count whatever bundle a project chooses. */
  own: Bundle;
  /** Every bundle that goes by a name. */
  bundles: BundleRegistry;
  agents: AgentLoader;
  sources: SourceResolver;
  /** Which code may be loaded into this process. */
  modules: PinnedModules;
  consent: Consent;
  /** What of its bundles waits for a person to agree. */
  pending: readonly ActingPart[];
  report: Report;
  /** A server's own home, where sessions bring complete plans: no settings, no bundle, no agent files, nobody's keys. */
  isDeployment: boolean;
  /** The only folders that sessions here may read, where others use the same machine. Absent: all but secrets and homes. */
  readable?: readonly string[] | undefined;
  /** Folders that no session here may touch, beside the homes that the environment names. */
  homes?: readonly string[] | undefined;
  /** The plan of a session here, as files and settings say; providers may still be missing. */
  plan(): Promise<MountPlan>;
}

/** How a person agrees to what changed. */
export interface Consent {
  /** The person has agreed to everything as it is now. */
  given: boolean;
  /** Asks whether what would act may do so. Without it nothing that changed acts. */
  ask?: ((trust: FolderTrust) => Promise<boolean>) | undefined;
}
