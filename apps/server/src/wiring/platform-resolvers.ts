import type { Platform } from "@appserver/contracts/graphql/types";
import { type Call, type Permissions, requirePermission } from "@appserver/kernel";

/** One option in force. */
interface ReportedOption {
  readonly section: string;
  readonly name: string;
  readonly shown: string;
  readonly origin: { readonly name: string };
}

export interface PlatformDeps {
  readonly permissions: Permissions;
  readonly version: string;
  /** Secrets are masked. */
  readonly options: readonly ReportedOption[];
}

/** Resolves the query `platform` for the process that answers it. */
export function platformResolvers({ permissions, version, options }: PlatformDeps) {
  const answer: Platform = {
    version,
    nodeVersion: process.versions.node,
    options: options.map(({ section, name, shown, origin }) => ({ section, name, value: shown, origin: origin.name })),
  };
  return {
    Query: {
      platform: async (_: unknown, __: unknown, call: Call): Promise<Platform> => {
        await requirePermission(permissions, call, "platform:view");
        return answer;
      },
    },
  };
}
