import type { AppBounds } from "./app-bounds.ts";

/** The run of a pipeline, as the verified token of its provider describes it. Texts are bounded and have no control characters. */
export interface PipelineRun {
  readonly provider: PipelineProvider;
  readonly repository: string;
  readonly commit?: string | undefined;
  readonly ref?: string | undefined;
  /** `http:` or `https:` */
  readonly runUrl?: string | undefined;
}

export type PipelineProvider = "github" | "gitlab" | "oidc";

/** What binds the token of a trusted pipeline to apps (docs/interface/permissions.md#trusted-pipelines). */
export interface PipelineBounds extends AppBounds {
  readonly trustId: string;
  readonly run: PipelineRun;
}
