import type { MutationTrustPipelineArgs, TrustedPipeline as TrustedPipelineNode } from "@appserver/contracts/graphql/types";
import { type Call, invalidField, type PipelineProvider } from "@appserver/kernel";
import type { TrustedPipeline } from "../ports.ts";
import { distrustPipeline, readTrustedPipelines } from "../use-cases/trusted-pipelines/distrust-pipeline.ts";
import { type TrustContext, type TrustRequest, trustPipeline } from "../use-cases/trusted-pipelines/trust-pipeline.ts";

/** Resolvers of the part of the schema about trusted pipelines. They only translate. */
export function trustedPipelineResolversOf(context: TrustContext) {
  return {
    Query: {
      trustedPipelines: async (_: unknown, __: unknown, call: Call): Promise<readonly TrustedPipelineNode[]> =>
        (await readTrustedPipelines(context, call)).map(pipelineNode),
    },
    Mutation: {
      trustPipeline: async (_: unknown, args: MutationTrustPipelineArgs, call: Call): Promise<TrustedPipelineNode> =>
        pipelineNode(await trustPipeline(context, requestOf(args), call)),
      distrustPipeline: (_: unknown, { id }: { readonly id: string }, call: Call) => distrustPipeline(context, id, call),
    },
  };
}

function requestOf({ account, apps, provider, claims, ...given }: MutationTrustPipelineArgs): TrustRequest {
  const { repository, repositoryId, ref, environment, issuer, audience } = given;
  const names = (claims ?? []).map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    throw invalidField("claims", `must have each name once, got ${JSON.stringify(twice.slice(0, 64))} twice`);
  return {
    account,
    apps,
    provider: provider.toLowerCase() as PipelineProvider,
    ...(issuer != null && { issuer }),
    ...(audience != null && { audience }),
    repository: repository ?? null,
    repositoryId: repositoryId ?? null,
    ref: ref ?? null,
    environment: environment ?? null,
    claims: Object.fromEntries((claims ?? []).map(({ name, value }) => [name, value])),
  };
}

function pipelineNode({ accountName: account, provider, claims, ...pipeline }: TrustedPipeline): TrustedPipelineNode {
  return {
    ...pipeline,
    account,
    provider: provider.toUpperCase() as TrustedPipelineNode["provider"],
    claims: Object.entries(claims).map(([name, value]) => ({ name, value })),
  };
}
