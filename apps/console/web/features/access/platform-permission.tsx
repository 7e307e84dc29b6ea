import { platformPermissions } from "@appserver/contracts/authorization";
import { Select, Text } from "@mantine/core";
import { i18n } from "../../i18n.ts";

interface PermissionProps {
  readonly value: string;
  readonly onChange: (permission: string) => void;
}

/** Chooses a permission of the platform. */
export function PlatformPermission({ value, onChange }: PermissionProps) {
  return (
    <>
      <Select
        label={i18n.t("Permission")}
        className="filter"
        placeholder={i18n.t("Choose")}
        searchable
        data={Object.keys(platformPermissions).sort()}
        value={value in platformPermissions ? value : null}
        onChange={(chosen) => onChange(chosen ?? "")}
      />
      {platformPermissions[value] && (
        <Text size="sm" c="dimmed" className="wrap">
          {i18n.t("Allows to {what}.", { what: platformPermissions[value] })}
        </Text>
      )}
    </>
  );
}
