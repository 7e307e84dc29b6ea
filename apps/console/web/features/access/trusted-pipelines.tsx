import { Group, Text } from "@mantine/core";
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
          {titleOf(pipeline)} acts on {pipeline.apps.join(", ")}
        </Text>
        <Text size="sm" c="dimmed" className="wrap">
          trusted by <Who id={pipeline.createdBy} /> <Time at={pipeline.createdAt} />, {conditionsOf(pipeline)},{" "}
          {pipeline.usedAt ? "last used " : "never used"}
          {pipeline.usedAt && <Time at={pipeline.usedAt} />}
        </Text>
      </div>
      {mayEnd && (
        <EndButton
          label="Remove"
          name={`Remove trust in ${titleOf(pipeline)}`}
          warning={`Jobs of ${titleOf(pipeline)} get no token any more, and those that they have end at once.`}
          onEnd={() => distrustPipeline(pipeline.id)}
        />
      )}
    </Group>
  ));
}

function titleOf({ repository, ref, environment, claims }: Pipeline): string {
  const where = environment == null ? "" : `, environment ${environment}`;
  return repository == null ? claims.map(({ name, value }) => `${name} ${value}`).join(", ") : `${repository} ${ref}${where}`;
}

function conditionsOf({ provider, issuer, repositoryId, audience }: Pipeline): string {
  const id = repositoryId == null ? "" : ` (id ${repositoryId})`;
  return `${provider.toLowerCase()}${id}, issuer ${issuer}, audience ${audience}`;
}
