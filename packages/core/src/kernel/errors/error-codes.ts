/** Every way the kernel refuses, with one sentence for each. Codes are stable; wording is not. */
export const KERNEL_ERROR_CODES = {
  INVALID_MOUNT_PLAN: 'The mount plan cannot be used; the message lists each fault with its path.',
  SESSION_NOT_INITIALIZED: 'The session was asked to work before initialize() finished.',
  SESSION_BUSY: 'The session is already executing a turn; one session runs one turn at a time.',
  SESSION_CLOSED: 'The session was cleaned up and cannot be used again.',
  MODULE_NOT_FOUND: 'No built-in module and no usable source has this id.',
  MODULE_INVALID: 'The module was found but is not a module: it exports no mount function.',
  MODULE_MOUNT_FAILED: 'The module was loaded but its mount function failed or left nothing mounted.',
  MODULE_REQUIRED: 'The module lacks something that the session declared it cannot do without.',
  UNKNOWN_MOUNT_POINT: 'The coordinator has no such mount point.',
  MOUNT_NAME_REQUIRED: 'Providers and tools are mounted under a name, and none was given.',
  NOTHING_MOUNTED: 'The session needs a module that is not mounted.',
  INJECTION_TOO_LARGE: 'A hook wanted to put more text into the context than the session allows.',
  CREDENTIALS_MISSING:
    'A value that is not stored with sessions is needed, and the settings no longer have it.',
  APPROVAL_TIMEOUT: 'Nobody answered the approval request in time.',
} as const;

export type KernelErrorCode = keyof typeof KERNEL_ERROR_CODES;
