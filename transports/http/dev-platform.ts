import { isAppName } from "@appserver/contracts/names";
import { AppError } from "@appserver/kernel";
import type { FastifyRequest } from "fastify";
import type { Route } from "./route.ts";

/** What `appctl` must know of a development platform on its machine (docs/interface/containers.md#drivers). */
export interface DevPlatform {
  /** Absolute path. Only the user who runs the platform can write there. */
  readonly dataFolder: string;
  /** The container driver. */
  readonly containers: string;
  /** Copies the folder that is the image of an app, unless there is such a copy. Returns its digest, or undefined without such a folder. */
  readonly takeFolder: (appName: string) => Promise<string | undefined>;
}

/** Returns the routes of `GET /dev/platform` and `POST /dev/images`. */
export function devPlatformRoutes({ takeFolder, ...facts }: DevPlatform): readonly Route[] {
  return [
    {
      url: "/dev/platform",
      methods: { GET: (_request, reply) => reply.header("cache-control", "no-store").send(facts) },
    },
    {
      url: "/dev/images",
      methods: {
        POST: async (request, reply) => {
          const app = appOf(request);
          const digest = await takeFolder(app);
          if (digest === undefined)
            throw new AppError("NOT_FOUND", `no folder is linked as the image of ${app}`, { details: { app } });
          return reply.header("cache-control", "no-store").send({ digest });
        },
      },
    },
  ];
}

function appOf({ body }: FastifyRequest): string {
  const { app } = (body ?? {}) as { readonly app?: unknown };
  if (typeof app === "string" && isAppName(app)) return app;
  throw new AppError("INVALID_REQUEST", "name the app whose folder is taken", {
    violations: [{ field: "app", message: "must be the name of an app" }],
  });
}
