import type { ContextManager } from './contracts/context-manager.js';
import type { ModuleSourceResolver } from './contracts/module.js';
import type { Orchestrator } from './contracts/orchestrator.js';
import type { Provider } from './contracts/provider.js';
import type { Tool } from './contracts/tool.js';
import { KernelError } from './errors/kernel-error.js';

/** The places a module can be mounted at. Single ones hold one module, the others hold many by name. */
export interface MountPoints {
  orchestrator: Orchestrator;
  context: ContextManager;
  'module-source-resolver': ModuleSourceResolver;
  providers: Provider;
  tools: Tool;
}

export type MountPoint = keyof MountPoints;
type ManyPoint = 'providers' | 'tools';
type SinglePoint = Exclude<MountPoint, ManyPoint>;

/** Puts something around a module before anybody sees it. */
export type Compose<Point extends MountPoint> = (module: MountPoints[Point]) => MountPoints[Point];

export class Mounts {
  /** A module or null at a point that holds one, a map at one that holds many. */
  readonly #points: Record<string, unknown> = {
    orchestrator: null,
    context: null,
    'module-source-resolver': null,
    providers: new Map<string, Provider>(),
    tools: new Map<string, Tool>(),
  };
  readonly #composed = new Map<MountPoint, unknown>();

  /** Whatever is mounted at this point from now on is composed with what the host of the session adds to it. */
  compose<Point extends MountPoint>(point: Point, compose: Compose<Point>): void {
    this.#composed.set(point, compose);
  }

  /** Puts a module in place; what was there before is gone. A single point ignores the name. */
  mount<Point extends MountPoint>(point: Point, given: MountPoints[Point], name?: string): void {
    const compose = this.#composed.get(point) as Compose<Point> | undefined;
    const module = compose ? compose(given) : given;
    const mounted = this.#at(point);
    if (mounted instanceof Map) mounted.set(named(point, name ?? (module as { name?: string }).name), module);
    else this.#points[point] = module;
  }

  unmount(point: MountPoint, name?: string): void {
    const mounted = this.#at(point);
    if (mounted instanceof Map) mounted.delete(named(point, name));
    else this.#points[point] = null;
  }

  /** The module at a single point, or null. */
  one<Point extends SinglePoint>(point: Point): MountPoints[Point] | null {
    return this.#at(point) as MountPoints[Point] | null;
  }

  /** The live map of a point that holds many. */
  all<Point extends ManyPoint>(point: Point): Map<string, MountPoints[Point]> {
    return this.#at(point) as Map<string, MountPoints[Point]>;
  }

  #at(point: string): unknown {
    if (Object.hasOwn(this.#points, point)) return this.#points[point];
    const hint = point === 'hooks' ? ' Hooks are not mounted: register them on coordinator.hooks.' : '';
    const known = Object.keys(this.#points).join(', ');
    throw new KernelError(`Unknown mount point '${point}'. Known: ${known}.${hint}`, {
      code: 'UNKNOWN_MOUNT_POINT',
    });
  }
}

function named(point: string, name: string | undefined): string {
  if (name) return name;
  throw new KernelError(`Name required at '${point}': give one or set the module's own name.`, {
    code: 'MOUNT_NAME_REQUIRED',
  });
}
