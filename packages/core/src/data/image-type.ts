/** The media type of an image that models can look at, told by its first bytes; null for anything else. */
export function imageType(start: Buffer): string | null {
  const text = start.toString('latin1', 0, 12);
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (text.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (text.startsWith('GIF87a') || text.startsWith('GIF89a')) return 'image/gif';
  if (text.startsWith('RIFF') && text.slice(8) === 'WEBP') return 'image/webp';
  return null;
}
