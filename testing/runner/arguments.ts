import { parseArgs } from "node:util";
import type { Selection } from "./plan.ts";
import { clusterSmokeFile, smokeFiles } from "./smoke-files.ts";
import type { Tier } from "./tiers.ts";

const tiers: readonly Tier[] = ["base", "production", "faults", "kubernetes"];

/** Returns which tests the command line selects, or what is wrong with it. `hasCluster`: the programs of a cluster are built. */
export function readArguments(args: readonly string[], hasCluster: boolean): Selection | { readonly problem: string } {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        tier: { type: "string", default: "base" },
        smoke: { type: "boolean", default: false },
        whole: { type: "boolean", default: false },
        shard: { type: "string" },
      },
    });
    const tier = tiers.find((name) => name === values.tier);
    if (tier === undefined) return { problem: `unknown tier ${values.tier}; expected: ${tiers.join(", ")}` };
    if (values.smoke && tier !== "production") return { problem: "--smoke selects files of --tier=production" };
    const shard = values.shard === undefined ? undefined : shardOf(values.shard);
    if (shard === null) return { problem: `--shard ${values.shard}: expected a part and a number of parts, such as 2/4` };
    return {
      tier,
      filters: positionals,
      whole: values.whole,
      ...(values.smoke && { only: hasCluster ? [...smokeFiles, clusterSmokeFile] : smokeFiles }),
      ...(shard !== undefined && { shard }),
    };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

function shardOf(text: string): { readonly part: number; readonly of: number } | null {
  const [part = 0, of = 0] = /^\d+\/\d+$/.test(text) ? text.split("/").map(Number) : [];
  return part >= 1 && part <= of ? { part, of } : null;
}
