/** How YAML is written, so that it is read back as it was meant: a text such as `yes` or `010` gets quotes. */
export const YAML_OUTPUT = { compat: 'yaml-1.1' } as const;
