import { readTextFile } from '../documents/read-text-file.js';
import { type BundleDocument, parseBundle } from './bundle-document.js';

/** Nothing the file refers to may lie outside `confineTo`. Rejects with file and line. */
export type ReadBundleFile = (file: string, confineTo: string | null) => Promise<BundleDocument>;

/** A reader for one load: the parts of a bundle all ask for the file they belong to, and it is read once. */
export function bundleFileReader(): ReadBundleFile {
  const known = new Map<string, Promise<BundleDocument>>();
  return (file, confineTo) => {
    const key = JSON.stringify([file, confineTo]);
    const document = known.get(key) ?? read(file, confineTo);
    known.set(key, document);
    return document;
  };
}

async function read(file: string, confineTo: string | null): Promise<BundleDocument> {
  return parseBundle(await readTextFile(file), file, confineTo);
}
