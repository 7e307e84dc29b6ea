import { Code, Group, List, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type AppDetails, upgradePlanQuery } from "../../api/queries.ts";
import { i18n } from "../../i18n.ts";
import { Section } from "../../parts/facts.tsx";
import { Failure, Loading } from "../../parts/states.tsx";
import { Status, type Tone } from "../../parts/status.tsx";

interface Required {
  readonly scope: string;
  readonly owner?: string;
  readonly reason: string;
  readonly needsApproval: boolean;
}

/** The part of the differences that this page shows (`UpgradePlan.differences`). */
interface PermissionDifferences {
  readonly permissions?: {
    readonly added?: readonly Required[];
    readonly removed?: readonly Required[];
    readonly changed?: readonly { readonly to: Required; readonly fields: readonly string[] }[];
  };
}

/** What the available version changes in the permissions that the app requires. */
export function PermissionChanges({ app, version }: { readonly app: AppDetails; readonly version: string }) {
  const plan = useQuery(upgradePlanQuery(app.name, version));
  return (
    <Section title={i18n.t("Changes in {version}", { version })}>
      {plan.error && <Failure error={plan.error} retry={() => void plan.refetch()} />}
      {plan.isPending && <Loading />}
      {plan.data && <Changes differences={plan.data.differences as PermissionDifferences} />}
    </Section>
  );
}

function Changes({ differences: { permissions = {} } }: { readonly differences: PermissionDifferences }) {
  const { added = [], removed = [], changed = [] } = permissions;
  if (added.length + removed.length + changed.length === 0)
    return <Text size="sm">{i18n.t("The available version requires the same permissions.")}</Text>;
  return (
    <List listStyleType="none" spacing="xs">
      {added.map((each) => (
        <Line
          key={`+ ${keyOf(each)}`}
          permission={each}
          tone="warning"
          text={i18n.t("added")}
          needsApproval={each.needsApproval}
        />
      ))}
      {changed.map(({ to, fields }) => (
        <Line
          key={`~ ${keyOf(to)}`}
          permission={to}
          tone="warning"
          text={i18n.t("changed: {fields}", { fields: fields.join(", ") })}
          needsApproval={to.needsApproval}
        />
      ))}
      {removed.map((each) => (
        <Line key={`- ${keyOf(each)}`} permission={each} tone="neutral" text={i18n.t("removed")} needsApproval={false} />
      ))}
    </List>
  );
}

interface LineProps {
  readonly permission: Required;
  readonly tone: Tone;
  readonly text: string;
  readonly needsApproval: boolean;
}

function Line({ permission: { scope, owner, reason }, tone, text, needsApproval }: LineProps) {
  return (
    <List.Item>
      <Group gap="xs">
        <Status tone={tone}>{text}</Status>
        <Code fz="sm">{scope}</Code>
        <Text size="sm" c="dimmed">
          {needsApproval
            ? i18n.t("of {owner}, needs an approval", { owner: owner ?? i18n.t("the platform") })
            : i18n.t("of {owner}", { owner: owner ?? i18n.t("the platform") })}
        </Text>
      </Group>
      <Text size="sm" className="wrap">
        {reason}
      </Text>
    </List.Item>
  );
}

function keyOf({ scope, owner }: Required): string {
  return `${scope} ${owner}`;
}
