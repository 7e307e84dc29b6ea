import { platformPermissions } from "@appserver/contracts/authorization";
import { Select, Text } from "@mantine/core";

interface PermissionProps {
  readonly value: string;
  readonly onChange: (permission: string) => void;
}

/** Chooses a permission of the platform. */
export function PlatformPermission({ value, onChange }: PermissionProps) {
  return (
    <>
      <Select
        label="Permission"
        className="filter"
        placeholder="Choose"
        searchable
        data={Object.keys(platformPermissions).sort()}
        value={value in platformPermissions ? value : null}
        onChange={(chosen) => onChange(chosen ?? "")}
      />
      {platformPermissions[value] && (
        <Text size="sm" c="dimmed" className="wrap">
          Allows to {platformPermissions[value]}.
        </Text>
      )}
    </>
  );
}
