import { isPlatformSetting } from "@appserver/contracts/settings/platform-keys";
import { Trans } from "@lingui/react";
import { Alert, Code, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { appQuery } from "../../api/queries.ts";
import { useViewer } from "../../api/viewer.ts";
import { i18n } from "../../i18n.ts";
import { SearchInput } from "../../parts/search-input.tsx";
import { Empty, Failure, Loading, Needs } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { Who } from "../../parts/who.tsx";
import { loadRules } from "./check-value.ts";
import { SettingField, type Source } from "./field.tsx";
import { FormActions } from "./form-actions.tsx";
import { MergeNotice } from "./merge-notice.tsx";
import { isSameValue } from "./same-value.ts";
import { type AppSettings as Settings, settingsQuery, sourcesQuery } from "./settings-queries.ts";
import { problemsOf, useSettingsForm } from "./use-settings-form.ts";

const route = getRouteApi("/shell/console/apps/$name/settings");

export function AppSettings() {
  return (
    <Needs permission="settings:read">
      <Loaded />
    </Needs>
  );
}

function Loaded() {
  const { name } = route.useParams();
  const { data: app } = useQuery(appQuery(name));
  const { data, error, refetch } = useQuery({
    ...settingsQuery(app?.id ?? ""),
    enabled: app !== undefined && app !== null,
    refetchOnWindowFocus: "always",
  });
  if (data) return <Form key={data.appId} settings={data} displayName={app?.displayName ?? name} />;
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  return data === null ? <Empty title={i18n.t("No settings")}>{i18n.t("The app was deleted.")}</Empty> : <Loading />;
}

function Form({ settings, displayName }: { readonly settings: Settings; readonly displayName: string }) {
  const [state, dispatch] = useSettingsForm(settings);
  const { search = "" } = route.useSearch();
  const { permissions } = useViewer();
  const mayWrite = permissions.includes("settings:write");
  const sourceOf = useSources(state.base);
  const { base, edits, problems } = state;
  const shown = base.definitions.filter(
    ({ key, description }) =>
      edits.has(key) || problems.has(key) || `${key} ${description}`.toLowerCase().includes(search.toLowerCase()),
  );
  return (
    <Stack component="form" aria-label={i18n.t("Settings")} onSubmit={(event) => event.preventDefault()}>
      <Conditions settings={base} />
      {!mayWrite && (
        <Text c="dimmed">
          <Trans
            id="You lack <0>settings:write</0>: you can see these settings, but not change them."
            components={{ 0: <Code /> }}
          />
        </Text>
      )}
      <Search search={search} />
      <Text size="sm" c="dimmed">
        {base.updatedAt ? (
          <Trans
            id="Version {version}, changed <0/> by <1/>"
            values={{ version: base.version }}
            components={{ 0: <Time at={base.updatedAt} />, 1: <Who id={base.updatedBy ?? "system"} /> }}
          />
        ) : (
          i18n.t("Version {version}", { version: base.version })
        )}
      </Text>
      <MergeNotice state={state} dispatch={dispatch} />
      {shown.length === 0 && <Empty title={i18n.t("No setting matches")}>{i18n.t("Change the search.")}</Empty>}
      {shown.map((definition) => {
        const { key } = definition;
        return (
          <SettingField
            key={key}
            definition={definition}
            stored={base.values[key]}
            source={sourceOf(key)}
            edit={edits.get(key)}
            problems={problems.get(key) ?? []}
            isReadOnly={!mayWrite || (isPlatformSetting(key) && !permissions.includes("app:install"))}
            onEdit={(edit) => dispatch({ kind: "edit", definition, edit })}
            onRevert={() => dispatch({ kind: "revert", key })}
            onCheck={() => void loadRules().then(() => dispatch({ kind: "check", key }))}
          />
        );
      })}
      {mayWrite && (
        <FormActions
          state={state}
          dispatch={dispatch}
          displayName={displayName}
          problemsOf={(key) => problemsOf(state, key)}
          hasStored={base.definitions.some(({ key }) => sourceOf(key) === "stored")}
        />
      )}
    </Stack>
  );
}

/** Returns where the value of a setting is from. It asks the platform about stored values that are equal to their default. */
function useSources(settings: Settings): (key: string) => Source {
  const { definitions, values, secretsSet } = settings;
  const unclear = definitions.flatMap(({ key, default: value }) =>
    value !== undefined && isSameValue(values[key], value) ? [key] : [],
  );
  const { data: stored } = useQuery(sourcesQuery(settings, unclear));
  return (key) => {
    if (secretsSet.includes(key) || stored?.has(key)) return "stored";
    if (values[key] === undefined) return "unset";
    return unclear.includes(key) ? "default" : "stored";
  };
}

function Conditions({ settings: { conditions } }: { readonly settings: Settings }) {
  const failed = conditions.filter(({ status }) => status === "False");
  if (failed.length === 0) return null;
  return (
    <Alert color="yellow" variant="outline" title={i18n.t("Stored settings have problems")}>
      {failed.map(({ type, message }) => (
        <Text key={type} size="sm" className="wrap">
          {message}
        </Text>
      ))}
    </Alert>
  );
}

function Search({ search }: { readonly search: string }) {
  const navigate = route.useNavigate();
  return (
    <SearchInput
      value={search}
      placeholder={i18n.t("Part of the name or the description")}
      onSearch={(text) => void navigate({ search: { search: text }, replace: true })}
    />
  );
}
