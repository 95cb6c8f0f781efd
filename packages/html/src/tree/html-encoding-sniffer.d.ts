declare module 'html-encoding-sniffer' {
  /** Name of the encoding by byte order mark, transport label and prescan; `defaultEncoding` when none of them names one. */
  const sniffEncoding: (
    bytes: Uint8Array,
    options?: {
      transportLayerEncodingLabel?: string;
      defaultEncoding?: string;
      maxPrescanBytes?: number;
      xml?: boolean;
    },
  ) => string;
  export default sniffEncoding;
}
