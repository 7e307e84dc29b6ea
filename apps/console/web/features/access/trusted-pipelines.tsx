import { Trans } from "@lingui/react";
import { Group, Text } from "@mantine/core";
import { i18n } from "../../i18n.ts";
import { EndButton } from "../../parts/end-button.tsx";
import { Time } from "../../parts/time.tsx";
import { Who } from "../../parts/who.tsx";
import { distrustPipeline, type Pipeline } from "./service-account-queries.ts";

interface PipelinesProps {
  readonly pipelines: readonly Pipeline[];
  readonly mayEnd: boolean;
}

/** The pipelines whose own tokens become tokens of a service account. */
export function TrustedPipelines({ pipelines, mayEnd }: PipelinesProps) {
  return pipelines.map((pipeline) => (
    <Group key={pipeline.id} justify="space-between" wrap="nowrap">
      <div>
        <Text className="wrap">
          {i18n.t("{title} acts on {apps}", { title: titleOf(pipeline), apps: pipeline.apps.join(", ") })}
        </Text>
        <Text size="sm" c="dimmed" className="wrap">
          <Trans
            id="trusted by <0/> <1/>"
            components={{ 0: <Who id={pipeline.createdBy} />, 1: <Time at={pipeline.createdAt} /> }}
          />
          , {conditionsOf(pipeline)}, <LastUsed at={pipeline.usedAt} />
        </Text>
      </div>
      {mayEnd && (
        <EndButton
          label={i18n.t("Remove")}
          name={i18n.t("Remove trust in {title}", { title: titleOf(pipeline) })}
          warning={i18n.t("Jobs of {title} get no token any more, and those that they have end at once.", {
            title: titleOf(pipeline),
          })}
          onEnd={() => distrustPipeline(pipeline.id)}
        />
      )}
    </Group>
  ));
}

/** When a token or a pipeline was used last. */
export function LastUsed({ at }: { readonly at: string | null | undefined }) {
  if (!at) return i18n.t("never used");
  return <Trans id="last used <0/>" components={{ 0: <Time at={at} /> }} />;
}

function titleOf({ repository, ref, environment, claims }: Pipeline): string {
  if (repository == null) return claims.map(({ name, value }) => `${name} ${value}`).join(", ");
  const what = `${repository} ${ref}`;
  return environment == null ? what : i18n.t("{what}, environment {environment}", { what, environment });
}

function conditionsOf({ provider, issuer, repositoryId, audience }: Pipeline): string {
  const name = provider.toLowerCase();
  const from = repositoryId == null ? name : i18n.t("{name} (id {repositoryId})", { name, repositoryId });
  return i18n.t("{from}, issuer {issuer}, audience {audience}", { from, issuer, audience });
}
