import { type ContainerSpec, containerLabels, type StorageOwner } from "@appserver/kernel/ports";

/** Returns the name of the volume of a storage. */
export function volumeName({ instance, appId }: StorageOwner, name: string): string {
  return `appserver-${instance}-${appId}-${name}`;
}

/**
 * Returns the mounts of a container: the volumes of its storage. Files of the image are not copied into them, so that a storage
 * is empty at first with every driver.
 */
export function volumeMounts({ labels, storage = [] }: ContainerSpec): readonly object[] {
  const owner = { instance: labels[containerLabels.instance] ?? "", appId: labels[containerLabels.appId] ?? "" };
  return storage.map(({ name, mountPath }) => ({
    Type: "volume",
    Source: volumeName(owner, name),
    Target: mountPath,
    ReadOnly: false,
    VolumeOptions: { NoCopy: true },
  }));
}

/** Returns the variables that contain the paths of the storage. */
export function storageVariables({ storage = [] }: ContainerSpec): Readonly<Record<string, string>> {
  return Object.fromEntries(storage.map(({ variable, mountPath }) => [variable, mountPath]));
}
