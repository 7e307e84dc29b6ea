import { ActionIcon, Menu, useMantineColorScheme } from "@mantine/core";
import { i18n } from "../i18n.ts";
import { DarkIcon, LightIcon, SystemIcon } from "./icons.tsx";

const themes = [
  { value: "light", label: i18n.t("Light"), icon: LightIcon },
  { value: "dark", label: i18n.t("Dark"), icon: DarkIcon },
  { value: "auto", label: i18n.t("System"), icon: SystemIcon },
] as const;

export function ThemeSwitch() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const current = themes.find(({ value }) => value === colorScheme) ?? themes[2];
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="default" size="lg" aria-label={i18n.t("Theme: {label}", { label: current.label })}>
          <current.icon />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {themes.map(({ value, label, icon: Icon }) => (
          <Menu.Item
            key={value}
            leftSection={<Icon />}
            onClick={() => setColorScheme(value)}
            fw={value === colorScheme ? 700 : 400}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
