import type { Route } from "./route.ts";

/** What `appctl` must know of a development platform on its machine (docs/interface/containers.md#drivers). */
export interface DevPlatform {
  /** Absolute path. Only the user who runs the platform can write there. */
  readonly dataFolder: string;
  /** The container driver. */
  readonly containers: string;
}

/** Returns the route of `GET /dev/platform`. */
export function devPlatformRoute(devPlatform: DevPlatform): Route {
  return {
    url: "/dev/platform",
    methods: { GET: (_request, reply) => reply.header("cache-control", "no-store").send(devPlatform) },
  };
}
