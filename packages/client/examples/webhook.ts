import { isGleanerError, verifyWebhook } from '@gleaner/client';

/** Runs on every platform with Request and Response: Node, edge functions, service workers. */
export async function onWebhook(request: Request, secret: string): Promise<Response> {
  try {
    // The signature is over the raw body; a re-serialised body would not match.
    const event = await verifyWebhook(await request.text(), request.headers, secret);
    if (event.type === 'batch.finished') console.log(`finished: ${String(event.data['id'])}`);
    return new Response(null, { status: 204 });
  } catch (error) {
    if (isGleanerError(error, 'invalid webhook')) return new Response(error.message, { status: 400 });
    throw error;
  }
}
