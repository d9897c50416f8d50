// Package anthropic speaks the Anthropic Messages API: a [Client] streams
// replies from api.anthropic.com or from any server that speaks the same
// protocol.
//
// Three rules shape it. A message is encoded once, and its bytes are sent from
// then on, so a conversation of a thousand turns costs as much to send as its
// newest message, and the provider's prompt cache always finds the prefix it
// knows. A block the model wrote goes back as it came, unknown fields and all.
// And what the server would refuse for ever after (empty text, thinking of
// another model, U+0000) never leaves the client.
//
// Reading order: client.go, exchange.go (one request in flight), body.go and
// encode.go (what is sent), reply.go and block.go (what comes back), errors.go
// (what went wrong).
package anthropic
