import { type Language, languages } from "@appserver/contracts/languages";
import { Button, Menu, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { signOut } from "../api/sign-out.ts";
import { useViewer } from "../api/viewer.ts";
import { chooseLanguage, chosenLanguage, i18n } from "../i18n.ts";
import { chooseDensity, type Density, useDensity } from "../parts/density.ts";
import { UserIcon } from "../parts/icons.tsx";
import { notifyFailure } from "../parts/notices.tsx";
import { hasAccountQuery, readAccountUrl } from "./account-query.ts";

/** Opens the page on which users change their account. It leads back here. */
async function openAccount(): Promise<void> {
  const page = await readAccountUrl(location.pathname + location.search);
  if (page !== null) location.assign(page);
}

export function UserMenu() {
  const { displayName, subject } = useViewer();
  // Most pages are left without a look at the menu.
  const [isWanted, setWanted] = useState(false);
  const { data: hasAccount } = useQuery({ ...hasAccountQuery, enabled: isWanted });
  const name = displayName ?? subject ?? "";
  return (
    <Menu position="bottom-end" onOpen={() => setWanted(true)}>
      <Menu.Target>
        <Button variant="default" px="xs" aria-label={i18n.t("User: {name}", { name })} onMouseEnter={() => setWanted(true)}>
          <UserIcon />
          <Text component="span" ml="xs" size="sm" visibleFrom="xs">
            {name}
          </Text>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label c="dimmed">{subject}</Menu.Label>
        {hasAccount && (
          <Menu.Item onClick={() => void openAccount().catch(notifyFailure(i18n.t("The account could not be opened")))}>
            {i18n.t("Account")}
          </Menu.Item>
        )}
        <Menu.Item component={Link} to="/console/agents">
          {i18n.t("Agents")}
        </Menu.Item>
        <Menu.Item component="a" href="/docs/">
          {i18n.t("Documentation")}
        </Menu.Item>
        <DensityItems />
        <LanguageItems />
        <Menu.Item onClick={() => void signOut().catch(notifyFailure(i18n.t("Signing out failed")))}>
          {i18n.t("Sign out")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** How much space tables and cards have. */
function DensityItems() {
  const chosen = useDensity();
  const item = (density: Density, title: string) => (
    <Menu.Item fw={density === chosen ? 700 : 400} onClick={() => chooseDensity(density)}>
      {title}
    </Menu.Item>
  );
  return (
    <>
      <Menu.Divider />
      <Menu.Label c="dimmed">{i18n.t("Density")}</Menu.Label>
      {item("comfortable", i18n.t("Comfortable"))}
      {item("compact", i18n.t("Compact"))}
    </>
  );
}

/** The languages of the console, and that of the browser. */
function LanguageItems() {
  const chosen = chosenLanguage();
  const codes = Object.keys(languages) as readonly Language[];
  return (
    <>
      <Menu.Divider />
      <Menu.Label c="dimmed">{i18n.t("Language")}</Menu.Label>
      <Menu.Item fw={chosen === undefined ? 700 : 400} onClick={() => chooseLanguage(undefined)}>
        {i18n.t("As in the browser")}
      </Menu.Item>
      {codes.map((code) => (
        <Menu.Item key={code} lang={code} fw={code === chosen ? 700 : 400} onClick={() => chooseLanguage(code)}>
          {languages[code]}
        </Menu.Item>
      ))}
      <Menu.Divider />
    </>
  );
}
