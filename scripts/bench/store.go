package main

import "context"

func stores(ctx context.Context, b *bench) error { return nil }
