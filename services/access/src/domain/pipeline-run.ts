import type { PipelineProvider, PipelineRun } from "@appserver/kernel";
import { boundedText, repositoryOf, type TokenClaims } from "./token-conditions.ts";

/** The issuers of tokens of the public providers. Those of other installations are on the host of the installation. */
export const publicIssuers: Readonly<Record<"github" | "gitlab", string>> = {
  github: "https://token.actions.githubusercontent.com",
  gitlab: "https://gitlab.com",
};

/** Returns what a verified token says of the run. */
export function runOf(provider: PipelineProvider, issuer: string, claims: TokenClaims): PipelineRun {
  const named = boundedText(repositoryOf(provider, claims).repository);
  const repository = named ?? boundedText(claims["project_path"]) ?? boundedText(claims["sub"]) ?? "unknown";
  const commit = boundedText(claims["sha"]) ?? boundedText(claims["commit_sha"]) ?? boundedText(claims["commit"]);
  const ref = boundedText(claims["ref_path"]) ?? boundedText(claims["ref"]);
  const path = runPath(provider, claims);
  const runUrl = path === undefined || named === undefined ? undefined : urlOf(serverOf(provider, issuer), `${named}/${path}`);
  return { provider, repository, ...(commit && { commit }), ...(ref && { ref }), ...(runUrl && { runUrl }) };
}

function runPath(provider: PipelineProvider, claims: TokenClaims): string | undefined {
  const id = boundedText(claims[provider === "github" ? "run_id" : "pipeline_id"]);
  if (provider === "oidc" || id === undefined || !/^\d+$/.test(id)) return undefined;
  return provider === "github" ? `actions/runs/${id}` : `-/pipelines/${id}`;
}

function serverOf(provider: PipelineProvider, issuer: string): string {
  return provider === "github" && issuer === publicIssuers.github ? "https://github.com" : new URL(issuer).origin;
}

function urlOf(server: string, path: string): string | undefined {
  const text = `${server}/${path}`;
  return URL.canParse(text) ? new URL(text).href : undefined;
}
