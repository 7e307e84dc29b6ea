import { type ContainerSpec, containerLabels, type StorageMount, type StorageOwner } from "@appserver/kernel/ports";

/** Returns the name of the volume of a storage. */
export function volumeName({ instance, appId }: StorageOwner, name: string): string {
  return `appserver-${instance}-${appId}-${name}`;
}

/**
 * Returns the mounts of a container: the volumes of its storage. Files of the image are not copied into them, so that a storage
 * is empty at first with every driver.
 */
export function volumeMounts({ labels, storage = [] }: ContainerSpec): readonly object[] {
  const owner = storageOwnerOf(labels);
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

/** Returns the storage among the mounts that the engine reports of a container. */
export function storageMountsOf(
  labels: ContainerSpec["labels"],
  mounts: readonly { readonly Name?: string; readonly Destination?: string }[],
): readonly StorageMount[] {
  const prefix = volumeName(storageOwnerOf(labels), "");
  return mounts.flatMap(({ Name = "", Destination: mountPath = "" }) =>
    Name.startsWith(prefix) ? { name: Name.slice(prefix.length), mountPath, variable: "" } : [],
  );
}

export function storageOwnerOf(labels: ContainerSpec["labels"]): StorageOwner {
  return { instance: labels[containerLabels.instance] ?? "", appId: labels[containerLabels.appId] ?? "" };
}
