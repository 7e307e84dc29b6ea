import { Trans } from "@lingui/react";
import { Code, Group, Stack, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { routesQuery } from "../../api/app-tab-queries.ts";
import { useViewer } from "../../api/viewer.ts";
import { i18n } from "../../i18n.ts";
import { useAppName } from "../../parts/app-link.tsx";
import { plainChoices } from "../../parts/filter-choices.ts";
import { AppFilter, FilterField } from "../../parts/filter-field.tsx";
import { ListTable } from "../../parts/list-table.tsx";
import { MoreButton } from "../../parts/more-button.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { Empty, Failure, Loading } from "../../parts/states.tsx";
import { type Holder, holdersQuery } from "./access-queries.ts";
import { Chain } from "./chain.tsx";
import { PlatformPermission } from "./platform-permission.tsx";
import { RevokeButton } from "./revoke-button.tsx";
import { SubjectLink } from "./subject-link.tsx";
import { roleTitle } from "./tuple-text.ts";
import { useSteps } from "./use-steps.ts";

const route = getRouteApi("/shell/console/access/permissions");

interface Asked {
  readonly permission?: string | undefined;
  readonly app?: string | undefined;
}

/** Who holds a permission of the platform or of an app, and why. */
export function AccessPermissions() {
  const { permission, app }: Asked = route.useSearch();
  return (
    <Stack>
      <Filter permission={permission} app={app} />
      {permission ? (
        <Holders permission={permission} app={app} />
      ) : (
        <Empty title={i18n.t("Choose a permission")}>
          {i18n.t("For a permission of the platform, leave the app empty. For one of an app, enter the app first.")}
        </Empty>
      )}
    </Stack>
  );
}

function Filter({ permission, app }: Asked) {
  const navigate = route.useNavigate();
  const change = (changed: Asked): void => {
    void navigate({ search: (before: Asked) => ({ ...before, ...changed }), replace: true });
  };
  const { permissions } = useViewer();
  const { data: api } = useQuery({
    ...routesQuery(app ?? ""),
    enabled: app !== undefined && permissions.includes("app:view"),
    retry: false,
  });
  const scopes = [...new Set(api?.routes.flatMap((each) => each.scopes) ?? [])].sort();
  return (
    <Group align="flex-start">
      <AppFilter
        label={i18n.t("App (empty: the platform)")}
        value={app}
        onChange={(name) => change({ app: name, permission: undefined })}
      />
      {app ? (
        <FilterField
          label={i18n.t("Permission")}
          placeholder="notes:read"
          value={permission}
          choices={plainChoices(scopes)}
          onChange={(text) => change({ permission: text })}
        />
      ) : (
        <Stack gap={4}>
          <PlatformPermission value={permission ?? ""} onChange={(chosen) => change({ permission: chosen || undefined })} />
        </Stack>
      )}
    </Group>
  );
}

interface HoldersProps {
  readonly permission: string;
  readonly app: string | undefined;
}

function Holders({ permission, app }: HoldersProps) {
  const { data: holders, error, refetch } = useQuery(holdersQuery(permission, app));
  const { shown, more } = useSteps(holders ?? []);
  const appName = useAppName(app);
  if (error && holders === undefined) return <Failure error={error} retry={() => void refetch()} />;
  if (!holders) return <Loading />;
  if (holders.length === 0) {
    return (
      <Empty title={i18n.t("Nothing holds this permission")}>
        <Trans
          id="<0/> of {owner} is not granted. Use Grant access to change that."
          values={{ owner: appName || i18n.t("the platform") }}
          components={{ 0: <Code>{permission}</Code> }}
        />
      </Empty>
    );
  }
  return (
    <>
      <ListTable minWidth={600} columns={[i18n.t("Holder"), i18n.t("Because of"), i18n.t("Action")]}>
        {shown.map((holder) => (
          <HolderRow key={holder.subject.id} holder={holder} />
        ))}
      </ListTable>
      {holders.length >= maxHolders && (
        <Text c="dimmed">{i18n.t("The platform lists at most {maxHolders}.", { maxHolders })}</Text>
      )}
      <MoreButton query={more} />
    </>
  );
}

const maxHolders = 1_000;

/** A role gives more than the permission: what it has is changed where its members are. What was granted itself is revoked here. */
function Undo({ subject, first }: { readonly subject: Holder["subject"]; readonly first: Holder["via"][number] }) {
  if (first.relation !== "assignee") return <RevokeButton subject={subject} tuple={first} isNamed />;
  return (
    <PageLink to="/console/access/roles" size="sm" underline="always">
      {i18n.t("Members of {role}", { role: roleTitle(first.object.slice("role:".length)) })}
    </PageLink>
  );
}

function HolderRow({ holder: { subject, via } }: { readonly holder: Holder }) {
  const [first] = via;
  return (
    <Table.Tr>
      <Table.Td>
        <SubjectLink subject={subject} />
      </Table.Td>
      <Table.Td>
        <Chain via={via} />
      </Table.Td>
      <Table.Td>{first && <Undo subject={subject} first={first} />}</Table.Td>
    </Table.Tr>
  );
}
