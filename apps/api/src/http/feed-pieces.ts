import type { IncomingMessage } from 'node:http';
import type { Writable } from 'node:stream';
import { joinPieces } from '@gleaner/contracts';

/**
 * Writes the body of a request to a parser, with back-pressure. What has arrived together goes as one, because a parser
 * takes ten times as long for a piece as Node does, and clients send pieces of a line, or of a byte.
 * @returns stops it; the request pauses
 */
export function feedPieces(request: IncomingMessage, parser: Writable): () => void {
  let pieces = joinPieces();
  const goOn = (): void => void request.resume();
  const flush = (): void => {
    if (pieces.isEmpty()) return;
    const bytes = pieces.join();
    pieces = joinPieces();
    if (parser.write(bytes)) return;
    request.pause();
    parser.once('drain', goOn);
  };
  const take = (piece: Uint8Array): void => {
    // Node hands out all pieces that the socket has before this runs.
    if (pieces.isEmpty()) setImmediate(flush);
    pieces.add(piece);
  };
  const end = (): void => {
    flush();
    parser.end();
  };
  request.on('data', take);
  request.once('end', end);
  return () => {
    request.off('data', take);
    request.off('end', end);
    parser.off('drain', goOn);
    pieces = joinPieces();
    request.pause();
  };
}
