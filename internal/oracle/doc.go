// Package oracle checks our wire clients against the vendors' own SDKs. It is a
// module of its own, so that nobody who builds daruma has to fetch them:
//
//	cd internal/oracle && go test ./...
//
// The clients must not learn from each other: what is compared here is what
// two independent readers make of the same bytes.
package oracle
